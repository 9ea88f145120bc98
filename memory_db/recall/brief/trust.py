"""Whose words may stand before an agent: the user's own, and quotations that ask for nothing.

In: a text that nobody confirmed, or an entry. Out: why it may not stand in a brief, or ''. Invariants: pure but for the
spans of an entry; in doubt a text asks for something, for a brief goes without it more easily than with it.

A hook loads this: the standard library alone.
"""

from __future__ import annotations

import sqlite3

from memory_db.records import IGNORECASE, later
from memory_db.store.connection import id_list, rows_there

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

TYPED = "typed"
"""The provenance of what the user typed: see `text.provenance`, which a hook need not load."""

GIVES_ORDERS = "gives orders that nobody confirmed"
NAMES_ADDRESS = "names an address that nobody confirmed"
NAMES_COMMAND = "names a command that nobody confirmed"
DISGUISED = "is written in letters of two alphabets"
SPEAKS_AS_USER = "speaks for the user, who did not say it here"
OTHERS_WORDS = "words of a file, a page or another program"

ORDERS = later(
    r"\b(?:always|never|must|shall|please|from now on|going forward|make sure|ensure|required?|requires|mandatory"
    r"|prohibited|forbidden|not allowed|rules?|polic(?:y|ies)|conventions?|prefers?|preference|approved? by)\b"
    r"|(?:^|[.!:;]\s|\n\s*(?:[-*>]\s*)?|[\"'“„»]\s*)(?:use|run|add|install|set|send|post|copy|upload|push|pull|skip|"
    r"disable|enable|turn|"
    r"remember|save|store|trust|approve|accept|answer|write|put|include|append|export|ask|call|mail|forward|delete|"
    r"remove|replace|switch|deploy|sign|commit|treat|assume|consider|note|avoid|keep|follow|apply|execute|open)\b"
    r"|\b(?:immer|niemals|nie|stets|bitte|ab (?:sofort|jetzt|heute)|künftig|müssen|muss|musst|soll(?:en|st|te)?|darf"
    r"|dürfen|verboten|pflicht|grundsätzlich|bevorzug\w+|regel|vorgabe)\b"
    r"|\b(?:toujours|jamais|désormais|dorénavant|veuillez|il faut|doit|doivent|devez|merci de|interdit|obligatoire"
    r"|préfère|règle|s'il (?:vous|te) pla[iî]t)\b"
    r"|\b(?:siempre|nunca|jamás|a partir de ahora|de ahora en adelante|por favor|hay que|debe[ns]?|deben|prohibido"
    r"|obligatorio|prefiere|regla)\b"
    r"|\b(?:sempre|mai|d'ora in poi|per favore|deve|devono|vietato|obbligatorio|preferisce)\b"
    r"|\b(?:nunca|a partir de agora|deve[mr]?|proibido|obrigat\w+|prefere)\b"
    r"|\b(?:zawsze|nigdy|od teraz|proszę|należy|trzeba|musi|wolno)\b"
    r"|\b(?:всегда|никогда|отныне|впредь|теперь|пожалуйста|нужно|надо|должн\w+|следует|запрещ\w+|нельзя|обязательно"
    r"|предпочита\w+|правил\w+)"
    r"|总是|总要|一律|永远|不要|不得|不能|必须|务必|应该|应当|今后|以后|从现在|禁止|每次|始终|优先|偏好|规则|规定|请|總是|必須|務必|禁止"
    r"|必ず|常に|絶対|今後|これから|ください|下さい|しないで|すること|してはいけ|べき|禁止|優先|ルール|使うこと"
    r"|항상|절대|반드시|앞으로|하지 ?마|주세요|해야|금지|규칙",
    IGNORECASE,
)
"""Words by which something is asked for in a language that developers write. Source: ours; wide on purpose."""

MILD_ORDERS = later(r"\b(?:should|don't|do not|have to|has to|needs? to|instead of|only)\b", IGNORECASE)
"""Words by which an agent tells of its own work as often; from anybody else they ask for something."""

FOR_USER = later(r"\bthe (?:user|developer|human)\b|(?:^|\n)[ \t]*(?:user|human|developer)[ \t]*:", IGNORECASE)
"""Words that tell what the user is said to have said."""

CITES_USER = later(
    r"\bas you (?:\w+ )?(?:decided|agreed|said|asked|wanted|confirmed|told me|instructed) (?:earlier|before|already"
    r"|last|previously|yesterday)\b|\bwie (?:sie|du) (?:\w+ )?(?:vorhin|vorher|früher|bereits|schon|zuvor) \w+"
    r"|\bcomme (?:tu l'as|vous l'avez) (?:déjà |décidé|dit|demandé)|\bcomo (?:ya )?(?:decidiste|dijiste|pediste|"
    r"acordaste|decidió|pidió) (?:antes|ayer|ya)|\bcomo (?:você|tu) (?:já )?(?:decidiu|disse|pediu)\w* (?:antes|ontem"
    r"|mais cedo)|как (?:вы|ты) (?:уже|ранее|раньше) \w+|(?:如|正如)你(?:之前|早先|先前|刚才)"
    r"|先ほど(?:お決め|おっしゃ|ご指示|決め)|(?:앞서|아까|이전에) (?:결정|말씀)",
    IGNORECASE,
)
"""How an agent says that the user decided something earlier: if they did, their own words say so."""

TWO_ALPHABETS = later(r"[A-Za-z][\u0400-\u04ff]|[\u0400-\u04ff][A-Za-z]")
"""A word of Latin and Cyrillic letters, which look alike: so words are hidden from whoever looks for them."""

ADDRESS = later(
    r"\b[a-z][a-z0-9+.-]{1,12}://|\bwww\.\w|[\w.+-]{1,64}@[\w-]{1,64}\.\w|\b(?:[a-z0-9-]{1,40}\.){1,4}(?:com|net|org|io"
    r"|dev|ru|cn|de|fr|jp|co|xyz|example|invalid|internal|lan)\b",
    IGNORECASE,
)
"""A link, a mail address, a host."""

COMMAND = later(
    r"`[^`\n]{0,200}\s[^`\n]{0,200}`|\$ \w|\brun: \S|\b[a-z][\w.-]{1,40}(?: [\w.-]{1,40}){0,3} --[a-z]|\b(?:curl|wget|"
    r"npm|npx|pnpm|yarn|pip3?|pipx|uv|brew|apt(?:-get)?|dnf|git"
    r"|docker|podman|kubectl|helm|chmod|sudo|export|make|cargo|go|gem|ssh|scp|bash|sh|python3?|node|set|"
    r"unset)\s+[\w./$-]",
)
"""A command, written out."""

TOOLS_OF_OTHERS = frozenset({"WebFetch", "WebSearch", "Read", "NotebookRead", "Task", "Agent"})
"""Tools whose results are what somebody else wrote; so are those of a server that a client has connected."""

SPANS = "select entry_id, start, stop, provenance from spans where entry_id in ({ids}) order by entry_id, start"


def asks_for(text: str, *, by_agent: bool = False) -> str:
    """Why words that nobody confirmed may not stand before an agent, or ''; `by_agent`: an agent wrote them."""
    if TWO_ALPHABETS.search(text):
        return DISGUISED
    if ADDRESS.search(text):
        return NAMES_ADDRESS
    if (CITES_USER if by_agent else FOR_USER).search(text):
        return SPEAKS_AS_USER
    return GIVES_ORDERS if ORDERS.search(text) or (not by_agent and MILD_ORDERS.search(text)) else ""


def told_by_tool(tool: str, result: str) -> str:
    """Why the result of a call may not stand before an agent, or ''."""
    if tool in TOOLS_OF_OTHERS or tool.startswith("mcp__"):
        return OTHERS_WORDS
    return asks_for(result) or (NAMES_COMMAND if COMMAND.search(result) else "")


def typed_of(db: sqlite3.Connection, entry_ids: Iterable[int]) -> Mapping[int, tuple[tuple[int, int], ...]]:
    """Which slices of entries the user typed, by entry; an entry of one provenance alone is not among them."""
    ids = id_list(entry_ids)
    typed: dict[int, tuple[tuple[int, int], ...]] = {}
    for entry_id, start, stop, provenance in rows_there(db, SPANS.format(ids=ids)) if ids else ():
        typed[entry_id] = typed.get(entry_id, ()) + (((start, stop),) if provenance == TYPED else ())
    return typed
