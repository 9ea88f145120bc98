"""What an agent reads: one line a hit, the lines grouped by role, the marks around them.

In: hits that are shown. Out: text. Invariants: a hit stands on one line; no text can end or open a brief; roles
arrange lines and never change a rank.
"""

from __future__ import annotations

from datetime import datetime

from memory_db.recall.brief.roles import BY_NAME, INDEX, SETTLED
from memory_db.recall.brief.same_saying import without_asides
from memory_db.records import IGNORECASE, later
from memory_db.redact.clean import find_injection
from memory_db.store.dates import parse_utc
from memory_db.text.one_line import cut

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence

    from memory_db.recall.brief.placement import Placement

LINE_CHARACTERS = 400
"""How much of one hit's text stands in a brief."""

RECAP_CHARACTERS = 680
"""How much of the words stands there in which an agent sums up what was settled: as much as `recap` takes."""

SESSION_CHARACTERS = 8
"""How much of a session's uid stands there: enough to tell thousands apart."""

TITLE_CHARACTERS = 120
"""How much of a memory stands where it is only named."""

MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")

UNLOGGED = "r00000000"
"""What a brief calls itself when nothing was logged; as long as a recall's uid."""

MARK = later(r"<(/?)memory-brief", IGNORECASE)
"""What a brief begins and ends with."""


def brief_text(
    shown: Sequence[Placement],
    uid: str | None,
    moment: datetime,
    before: Sequence[str] = (),
    after: Sequence[str] = (),
) -> str:
    """The brief an agent reads: hits by role, with lines before and after them; empty when nothing is shown."""
    if not shown and not before:
        return ""
    return brief_around([*before, *role_lines(shown, moment), *after], uid or UNLOGGED)


def role_lines(shown: Sequence[Placement], moment: datetime) -> list[str]:
    """The lines of hits, each role under its heading, in their order; within one what is locked first, then by rank.

    Of a conversation the words that sum it up come first.
    """
    lines: list[str] = []
    for role in (SETTLED, *BY_NAME, INDEX):
        own = [hit for hit in shown if hit.role == role]
        if own:
            lines.append(f"{role}:")
            own.sort(key=lambda hit: (hit.features.lock_level != "user", not sums_up(hit), hit.rank or 0))
            lines += [brief_line(hit, moment) for hit in own]
    return lines


def sums_up(hit: Placement) -> bool:
    """Whether a line is what an agent said to sum a conversation up."""
    return hit.role == SETTLED and hit.type == "entry"


def brief_around(lines: Sequence[str], uid: str) -> str:
    """Lines between the marks by which an importer knows a brief of ours."""
    return "\n".join([f'<memory-brief recall="{uid}">', *lines, "</memory-brief>"])


def brief_line(hit: Placement, moment: datetime) -> str:
    """One hit on one line: uid, text, and in brackets what else is known of it that the reader does not know anyway.

    What the user neither said nor confirmed is a quotation; an exchange quotes what it is made of itself.
    """
    uid = short_uid(hit)
    if hit.role == INDEX:
        return f"- [{uid}] {inert(title_line(hit))} ({hit.kind}, {hit.tokens} tokens)"
    whole = " ".join((hit.line or without_asides(hit.text)).split())
    most = RECAP_CHARACTERS if sums_up(hit) else LINE_CHARACTERS
    text = cut(whole if len(whole) <= most else with_short_lead(whole), most)
    facts = [
        "locked" if hit.features.lock_level == "user" else "",
        "" if hit.line or (hit.role in BY_NAME and BY_NAME[hit.role].plain == hit.kind) else hit.kind,
        "" if is_at_home(hit) else safe_project_name(hit.project) if hit.project else "any project",
        "" if hit.is_at_start else source_text(hit),
        date_text(hit.created_at, moment),
        f"until {hit.valid_to[:10]}" if hit.valid_to else "",
        f"{hit.tokens} tokens in all" if text != whole or hit.line.endswith("…") else "",
    ]
    told = text if hit.is_trusted or hit.line else f'"{text}"'
    remarks = "".join(f"; {each}" for each in (hit.replaced, doubt_text(hit)) if each)
    return f"- [{uid}] {inert(told)} ({', '.join(filter(None, facts))}{remarks})"


def doubt_text(hit: Placement) -> str:
    """What a line says of a memory that another one stands against: the value before, or which one says otherwise."""
    if hit.value_before:
        return f"{hit.value_before} before"
    if hit.contradicted and hit.is_contradicted_in_part:
        return f"partly otherwise {'before' if hit.is_later else 'by now'}: {hit.contradicted}"
    if hit.contradicted:
        return f"contradicted by {hit.contradicted}"
    why = f", {hit.why_over}" if hit.why_over else ""
    return f"perhaps over{why}: {hit.perhaps_over}" if hit.perhaps_over else ""


LED = later(r'^((?:Asked|On) ")(.{40,2000}?)(", the user (?:said|chose|answered):? )')
"""What words of the user are an answer to, before them."""

LEAD_CHARACTERS = 60


FEWEST_ALONE = 80
"""Characters of the user's words from which they say by themselves what they are about. Source: ours."""


def with_short_lead(text: str) -> str:
    """A text with what the user's words answer made short, so that these are told: they say what holds.

    Where that is still too long, and the words say enough, they stand alone.
    """
    led = LED.match(text)
    if not led:
        return text
    said, short = text[led.end() :], f"{led[1]}{cut(led[2], LEAD_CHARACTERS)}{led[3]}"
    is_alone = len(short) + len(said) > LINE_CHARACTERS and len(said) >= FEWEST_ALONE
    return said if is_alone else short + said


def is_at_home(hit: Placement) -> bool:
    """Whether a hit is of the project where the asker works; what is only asked for is said to be of another."""
    return bool(hit.features.same_project and not hit.features.meant_project)


def title_line(hit: Placement) -> str:
    """A memory's title; where that breaks off, the first sentence of its text if it is short."""
    title, text = " ".join(hit.title.split()), " ".join(without_asides(hit.text).split())
    if not title.endswith("…") and (title == text.rstrip(".") or not text.startswith(title)):
        return title
    return cut(text, TITLE_CHARACTERS)


def short_uid(hit: Placement) -> str:
    """What names a hit in a line: a memory's uid; of an entry the letter e and the beginning of its uid.

    Where that begins like another one, or is no hexadecimal name, it stands whole.
    """
    return hit.short_uid or hit.uid


def date_text(then: str, moment: datetime) -> str:
    """A day: `31 Oct`, of another year than the reader's `31 Oct 2025`."""
    at = parse_utc(then)
    day = f"{at.day} {MONTHS[at.month - 1]}"
    return day if at.year == moment.year else f"{day} {at.year}"


def source_text(hit: Placement) -> str:
    """Who said it, as far as that is known, and in which session, by the beginning of its uid."""
    session = f"session {' '.join(hit.session_uid[:SESSION_CHARACTERS].split())}" if hit.session_uid else ""
    said = "the user" if hit.is_by_user or (hit.type == "memory" and hit.features.stated_by_user) else ""
    is_agents = sums_up(hit) or (hit.type == "memory" and not hit.is_trusted)
    said = said or ("the agent" if is_agents else "")
    return ", ".join(filter(None, (said, session)))


def safe_project_name(project: str) -> str:
    """A project's name on one line; none that would steer an agent, for whoever names a folder must not speak here."""
    name = inert(" ".join(project.split()))
    return "another project" if find_injection(name) else name


def inert(text: str) -> str:
    """A text that can neither end nor open a brief: importers would take what follows for somebody's words."""
    return MARK.sub("‹\\1memory-brief", text) if "memory-br" in text.casefold() else text


def age_text(then: str, moment: datetime) -> str:
    """How long ago, in words: `today`, `3 days ago`, `5 months ago`."""
    days = int(max(0.0, (moment - parse_utc(then)).total_seconds()) // 86400)
    if days == 0:
        return "today"
    for length, name in ((365, "year"), (30, "month"), (1, "day")):
        if days >= length:
            number = days // length
            return f"{number} {name}{'s' if number > 1 else ''} ago"
    return "today"


def estimated_tokens(text: str) -> int:
    """Roughly how many tokens a text has: a quarter of its bytes.

    Source: four bytes to a token is what o200k gives on English prose; a tokenizer cannot be loaded in a hook.
    """
    return (len(text.encode()) + 3) // 4
