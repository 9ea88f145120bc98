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
    is_order = MUST.search(text) is not None or MOVES.search(text) is not None
    return "it is about secrets" if is_order and SECRET.search(text) else ""
