"""The recorded minute plays: what asciinema reads, in order, within a minute, of commands that there are."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from bench.record import COMMANDS, MOST_S
from memory_db.cli import cli

RECORDING = Path(__file__).parents[2] / "docs" / "pictures" / "minute.cast"


def test_the_recording_is_of_today_s_commands() -> None:
    header, *events = map(json.loads, RECORDING.read_text("utf-8").splitlines())
    moments = [at for at, _, _ in events]
    assert header["version"] == 2 and {kind for _, kind, _ in events} == {"o"}
    assert moments == sorted(moments) and moments[-1] < MOST_S
    told = "".join(text for _, _, text in events)
    assert tuple(re.findall(r"^\$ (.+)\r$", told, re.M)) == COMMANDS
    assert "a migration that has been applied" in told and "Error" not in told
    for command in COMMANDS:
        words = shlex.split(command.partition("|")[0])
        if words[0] == "memory-db":
            shown = CliRunner().invoke(cli, [*words[1:], "--help"])
            assert shown.exit_code == 0, command
