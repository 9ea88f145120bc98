"""What a person is told of a text that is not kept as it was typed."""

from __future__ import annotations

from collections.abc import Sequence

import click

from memory_db.cli.common import printable
from memory_db.redact.clean import clean

SHOWN_CHARACTERS = 300
"""Of the text that is kept."""


def redacted_in(*texts: str) -> list[str]:
    """The kinds of secrets and personal data that are not kept of some texts, each once."""
    found = [finding for text in texts for finding in clean(text)[1]]
    return list(dict.fromkeys(each.rule for each in found if each.category in ("secret", "personal")))


def note_redacted(redacted: Sequence[str], text: str) -> None:
    """Notes on stderr what was redacted, and what is kept of the text; nothing where nothing was."""
    if redacted:
        kept = printable(clean(text)[0], SHOWN_CHARACTERS)
        click.echo(f"Redacted: {', '.join(redacted)}. What is kept: {kept}", err=True)
