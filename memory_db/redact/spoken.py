"""Passwords that a sentence tells in other languages than English and German: a table of words, and rules made from it.

In: nothing. Out: `SPOKEN`. Invariant: what follows the words must read as a password (`checks.is_typed`), since the
same words also say where one is kept, or that one is needed. Source: our own; dictionaries of each language.
"""

from __future__ import annotations

from memory_db.redact.rule import LAST_GROUP, Rule
from memory_db.redact.shapes import SAID

WORDS: tuple[tuple[tuple[str, ...], str, str], ...] = (
    # words for a password (lower case; also what is looked for first), as a pattern; what says that it follows
    (("mot de passe", "mdp"), r"mots? de passe|mdp", r"est|c'est|sera|devient|était"),
    (("contraseña", "clave"), r"contraseña|clave", r"es|será|era|ahora es|queda en"),
    (("senha", "palavra-passe"), r"senha|palavra-passe", r"é|será|era|agora é|ficou"),
    (("parola d'ordine", "parola chiave", "password"), r"parola (?:d'ordine|chiave)|password", r"è|sarà|era|adesso è"),
    (("wachtwoord",), r"wachtwoord", r"is|was|wordt|nu"),
    (("hasło", "haslo"), r"has[łl]o", r"to|jest|brzmi|było"),
    (("пароль",), r"пароль", r"это|теперь|такой|был|—|-"),
    (("lösenord", "kodeord", "passord", "adgangskode"), r"lösenordet|lösenord|kodeordet|passordet|passord|adgangskoden",
     r"är|er|var|blir"),
)  # fmt: skip

OF = r"(?:[ \t](?!(?:{told})[ \t:])[^\s:=\"'`]{{1,24}}){{0,5}}?"
"""What it is of: up to five words between the word for a password and the one that says that it follows."""

TOLD = r"[\"'`*)]{{0,2}}[ \t]{{0,4}}(?:[=:]|(?:{told})(?![\w]))[ \t:]{{1,4}}(?:[=:][ \t])?(?:(?:{now})[ ])?"

NOW = "maintenant|désormais|ahora|agora|adesso|ora|nu|teraz|теперь|сейчас"

CJK_WORDS = ("密码", "密碼", "口令", "パスワード", "暗証番号", "비밀번호", "패스워드")

CJK_TOLD = r"[^\n!-~]{0,12}?(?:是|为|為|改成|改为|設為|は|が|:|：|은|는|가|=)[ \t]{0,2}[「『\"'`“]{0,1}"

CJK_SAID = r"(?P<bare>[!-&(-~]{6,80}?)(?=[\"'`.,;:!?)]{0,2}(?:[^!-~]|\Z))"
"""A run of ASCII characters: these languages put no blank around it."""

SPOKEN: tuple[Rule, ...] = (
    *(
        Rule("password", literals, rf"(?<!\w)(?:{words}){OF.format(told=told)}{TOLD.format(told=told, now=NOW)}{SAID}",
             "Password that a sentence tells. Source: our own.", LAST_GROUP, fold=True, check="typed")
        for literals, words, told in WORDS
    ),
    Rule("password", CJK_WORDS, rf"(?:{'|'.join(CJK_WORDS)}){CJK_TOLD}{CJK_SAID}",
         "Password that a sentence tells. Source: our own.", LAST_GROUP, check="typed"),
)  # fmt: skip
