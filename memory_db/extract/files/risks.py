"""What in a file's words only a person may take for an instruction, whoever asked for the file to be read.

In: a text. Out: the reason in a few words. Pure. Invariant: in doubt it is one: what waits can still be accepted.
"""

from __future__ import annotations

import re

URL = re.compile(r"\b(?:https?|ftp|wss?|git|ssh|file|data)://[^\s<>\"')\]]+|\bwww\.[\w-]+\.\w+", re.IGNORECASE)
OWN_MACHINE = re.compile(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1\])(?=[:/]|$)", re.IGNORECASE)

INTERPRETER = r"(?:sudo\s+(?:-\S+\s+)*)?(?:\S*/)?(?:(?:ba|z|da|fi|k)?sh|python[\d.]*|perl|ruby|node|php|pwsh|iex)\b"
PIPED = re.compile(
    rf"\|\s*(?:&\s*)?{INTERPRETER}|\b(?:ba|z|da|k)?sh\s+(?:-\S+\s+)*<\(|\b(?:source|\.)\s+<\("
    rf"|\beval\b[^\n]*\$\(|\beval\s*\(|\b(?:ba|z)?sh\s+-c\s+[\"']?\$\(|\bbase64\s+(?:-d|-D|--decode)\b|"
    rf"\bInvoke-Expression\b|\biwr\b[^\n]*\|",
    re.IGNORECASE,
)
"""A shell pipe into an interpreter, and what comes to the same."""

SECRET = re.compile(
    r"\b(?:secrets?|passwords?|passphrases?|passwd|credentials?|api[ _-]?keys?|access[ _-]?keys?|private[ _-]?keys?"
    r"|ssh[ _-]?keys?|(?:access|auth|bearer|api|session|refresh|deploy|personal)[ _-]?tokens?|tokens?\b(?! (?:count|"
    r"limit|budget|usage|price|window))|keychain|id_rsa|\.netrc|kubeconfig)\b|(?<![\w/])\.env\b(?!\.example|\.sample)"
    r"|~/\.(?:ssh|aws|gnupg|kube)\b",
    re.IGNORECASE,
)
"""Words for what must stay secret."""

STATES = re.compile(
    r"^\W*(?:\w+:\s+)?(?:(?:the|a|an|our|this|that|its?|these|those|all|each|every|there)\b[^.;:!?]{0,80}?|`[^`]+`"
    r"[^.;:!?]{0,60}?|[A-Z][\w-]*(?: [\w-]+){0,4}?)\s+(?:is|are|was|has|have|lives?|holds?|contains?|runs?|listens?|"
    r"uses?|stands?|comes?|gives?|serves?|returns?|stores?|keeps?|reads?|expires?)\b",
    re.IGNORECASE,
)
"""A text that tells how something is, and nothing to do."""

ENV_FILE = re.compile(r"(?<![\w/])\.env\b", re.IGNORECASE)
"""The file in which settings and secrets of a project often lie."""

MUST = re.compile(
    r"\b(?:must|should|shall|never|always|don't|do not|please|have to|need to|make sure|ensure)\b", re.IGNORECASE
)


CREDENTIAL_PATH = re.compile(
    r"(?:~|\$HOME|/home/[\w.-]+|/root)/\.(?:ssh|aws|gnupg|kube|netrc|pgpass|docker|npmrc|pypirc)\b|\bid_(?:rsa|ed25519)\b"
    r"|(?<![\w/])\.(?:netrc|pgpass|pypirc|npmrc)\b|\bkubeconfig\b",
    re.IGNORECASE,
)
"""Where credentials lie."""

MOVES = re.compile(
    r"(?:^|[.!?;:,]\s+|\b(?:and|then|to|also)\s+)(?:send|copy|post|upload|print|log|echo|show|include|paste|commit|push|share"
    r"|forward|mail|export|expose|write|put|store|save|keep|give|read|dump|cat|attach|add|back ?up)\b",
    re.IGNORECASE,
)
"""Orders by which something is moved or told. To rotate or hash a secret moves none."""

SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n+")


DANGEROUS = re.compile(
    r"\brm\s+-\w*[rf]|\b(?:mkfs|dd\s+if=|shred)\b|--no-verify\b|--force\b|\bsudo\b|\b(?:rclone|scp|rsync|ftp|nc)\s"
    r"|\bupload\b|\b(?:never|without|do not|don't|no need to)\s+(?:ask|asking|mention|mentioning|tell|telling|report)"
    r"|\b(?:always )?(?:answer|say|claim|pretend) that\b"
    r"|\b(?:disabl\w+|turn(?:ing)? off|switch(?:ing)? off|skip(?:ping)?)\b[^.\n]{0,40}\b(?:sandbox\w*|tls|ssl|firewall|"
    r"verification|security|hooks?|checks?|review)\b",
    re.IGNORECASE,
)
"""What destroys, leaves the machine, goes round a check, or keeps something from the person."""


PROTECTION = (
    r"(?:certificate|cert|signature|tls|ssl|checksum|integrity)s?(?:[ -](?:check|verification|validation|error)\w*)?"
    r"|sandbox\w*|firewalls?|2fa|mfa|two-factor\w*|antivirus|malware scan\w*|(?:input|server[- ]side) validation"
    r"|signatur\w*|zertifikat\w*|prüfsumme\w*|zwei-?faktor\w*|virenscan\w*|certificats?|signatures?"
    r"|double authentification|pare-feu|certificados?|firmas?|doble factor|cortafuegos|assinaturas?|dois fatores"
    r"|certificat[oi]|firm[ae]|autenticazione a due fattori|certyfikat\w*|podpis\w*|сертификат\w*|подпис\w*"
    r"|двухфактор\w*|брандмауэр\w*|证书|签名|双因素|防火墙|校验|証明書|署名|二要素|検証|ファイアウォール|인증서|서명|2단계"
)
WEAKENING = (
    r"disabl\w+|turn(?:s|ed|ing)? \w* ?off|switch(?:es|ed|ing)? \w* ?off|skip(?:s|ped|ping)?|bypass\w*|ignor(?:es?|ing)"
    r"|ausschalt\w*|abschalt\w*|ausgeschaltet|deaktivier\w*|überspring\w*|umgeh\w*|weglass\w*|désactiv\w*|ignorez?"
    r"|contourn\w*|desactiv\w*|omit\w*|salt(?:ar|arse|en|ad|a)|ignor(?:ar|en|ad)|desativ\w*|deslig\w*|pul(?:ar|em|e)"
    r"|disattiv\w*|disabilit\w*|salt(?:are|ate)|wyłącz\w*|pomiń\w*|pomija\w*|отключ\w*|выключ\w*|пропуск\w*|关闭|跳过"
    r"|禁用|忽略|无需|不用|無効|オフ|スキップ|消し|省略|外し|끄|비활성|건너뛰"
)
WEAKENS = re.compile(
    rf"(?<![\w-])(?:{WEAKENING})[^.!?。！？\n]{{0,60}}?(?:{PROTECTION})"
    rf"|(?<!\w)(?:{PROTECTION})[^.!?。！？\n]{{0,60}}?(?:{WEAKENING})",
    re.IGNORECASE,
)
"""Words that switch a protection off, in the languages that rules read."""

FORBIDS = re.compile(
    r"\b(?:never|don'?t|do not|not|no|without|nie|niemals|nicht|kein\w*|jamais|ne|pas|nunca|não|non|mai|nigdy|нельзя"
    r"|никогда|не)\b|不要|不能|不得|别|禁止|ないで|しない|するな|마세요|않",
    re.IGNORECASE,
)
"""Words by which a sentence protects what it names."""


def weakens(text: str) -> bool:
    """Whether a sentence of a text switches a protection off, rather than forbidding that."""
    sentences = SENTENCE_END.split(text)
    return any(WEAKENS.search(each) and not FORBIDS.search(each) for each in sentences)


def risk_of(text: str) -> str:
    """Why a person has to judge a text before it may steer an agent; '' where nobody has to."""
    if PIPED.search(text):
        return "it runs what a shell pipes into an interpreter"
    if DANGEROUS.search(text):
        return "it destroys, sends away or goes round a check"
    sentences = [each for each in SENTENCE_END.split(text) if re.search(r"\w", each)]
    is_order = MUST.search(text) is not None or not all(STATES.match(each) for each in sentences)
    if any(is_order or not OWN_MACHINE.match(found[0]) for found in URL.finditer(text)):
        return "it names an address"
    if is_order and SECRET.search(text):
        return "it is about secrets"
    return ""


def risk_of_typed(text: str) -> str:
    """Why a person has to judge what they seem to have typed, or what an agent found; '' where nobody has to.

    Whoever plants words wants them to name an address, to run something, or to reach what is secret; a person's own
    rule of that sort is rare, and one answer keeps it.
    """
    if PIPED.search(text):
        return "it runs what a shell pipes into an interpreter"
    if any(not OWN_MACHINE.match(found[0]) for found in URL.finditer(text)):
        return "it names an address"
    if CREDENTIAL_PATH.search(text):
        return "it names where credentials lie"
    if weakens(text):
        return "it switches a protection off"
    moves = MOVES.search(text) is not None
    said = text if moves else ENV_FILE.sub("", text)  # that there is such a file reveals nothing
    is_order = moves or MUST.search(text) is not None
    return "it is about secrets" if is_order and SECRET.search(said) else ""
