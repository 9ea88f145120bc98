"""Changes to a text, and what they leave: `Edit`, `Finding`, and the one function that makes edits.

In: a text, edits that are sorted and do not overlap, findings made before. Out: the new text, and all findings with
their places in it.
"""

from __future__ import annotations

from memory_db.records import dataclass, replace


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing found: `start` and `length` in characters of the clean text; `length` is 0 where a block was removed.

    `category` is secret, personal, private (left out: private sections and injected blocks), injection or invisible.
    """

    rule: str
    category: str
    start: int
    length: int
    hint: str


@dataclass(frozen=True, slots=True)
class Edit:
    """`text[start:end]` becomes `put`, because of `rule`."""

    start: int
    end: int
    put: str
    rule: str
    category: str

    def finding(self, start: int) -> Finding:
        return Finding(self.rule, self.category, start, len(self.put.strip()), count(self.end - self.start))


def count(characters: int) -> str:
    """So many characters, in words."""
    return f"{characters} character{'' if characters == 1 else 's'}"


def splice(text: str, edits: list[Edit], findings: list[Finding]) -> tuple[str, list[Finding]]:
    """The text with all edits made, and all findings with their places in it; edits are sorted and do not overlap."""
    pieces: list[str] = []
    found: list[Finding] = []
    earlier = sorted(findings, key=lambda finding: finding.start)
    done = length = index = 0
    for edit in edits:
        while index < len(earlier) and earlier[index].start < edit.start:
            found.append(replace(earlier[index], start=earlier[index].start + length - done))
            index += 1
        while index < len(earlier) and earlier[index].start + max(1, earlier[index].length) <= edit.end:
            if not earlier[index].length:  # a removed block stays counted, at the place that swallowed it
                found.append(replace(earlier[index], start=length + edit.start - done))
            index += 1
        pieces += text[done : edit.start], edit.put
        length += edit.start - done
        found.append(edit.finding(length))
        length += len(edit.put)
        done = edit.end
    found += [replace(finding, start=finding.start + length - done) for finding in earlier[index:]]
    return "".join((*pieces, text[done:])), found
