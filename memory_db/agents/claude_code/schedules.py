"""Timers that start a worker every hour, as texts for a person to put where they belong.

In: the command that a timer starts. Out: the text for systemd, launchd or cron. Invariant: nothing is written, and
whatever characters a path has stay one argument.
"""

from __future__ import annotations

import plistlib
import shlex
from collections.abc import Sequence

LABEL = "memory-db"

HOUR_S = 3_600

NAMES = ("systemd", "launchd", "cron")


def schedule(name: str, command: Sequence[str]) -> str:
    """The text that makes a scheduler of that name start a command every hour."""
    return {"systemd": systemd, "launchd": launchd, "cron": cron}[name](command)


def usual(platform: str) -> str:
    """The scheduler that a platform (`sys.platform`) comes with."""
    return "launchd" if platform == "darwin" else "systemd" if platform == "linux" else "cron"


def systemd(command: Sequence[str]) -> str:
    """A service and a timer of the user."""
    line = " ".join(map(systemd_word, command))
    return f"""\
# 1. Save this as ~/.config/systemd/user/{LABEL}.service
[Unit]
Description=What is due in memory-db

[Service]
Type=oneshot
Nice=10
ExecStart={line}

# 2. Save this as ~/.config/systemd/user/{LABEL}.timer
[Unit]
Description=memory-db every hour

[Timer]
OnCalendar=hourly
RandomizedDelaySec=300
Persistent=true

[Install]
WantedBy=timers.target

# 3. Then run: systemctl --user daemon-reload && systemctl --user enable --now {LABEL}.timer
"""


def systemd_word(word: str) -> str:
    """A word as a unit file quotes it, so that neither specifiers nor variables are seen in it.
    Source: systemd.service(5), command lines, and systemd.syntax(7), quoting."""
    escaped = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%").replace("$", "$$")
    return f'"{escaped}"'


def launchd(command: Sequence[str]) -> str:
    """An agent of the user."""
    values = {
        "Label": LABEL, "ProgramArguments": list(command), "StartInterval": HOUR_S, "LowPriorityIO": True, "Nice": 10,
    }  # fmt: skip
    text = plistlib.dumps(values, sort_keys=False).decode()
    place = f"~/Library/LaunchAgents/{LABEL}.plist"
    head, _, rest = text.partition("\n")
    return f"{head}\n<!-- Save this as {place}, then run: launchctl load {place} -->\n{rest}"


def cron(command: Sequence[str]) -> str:
    """A line of a crontab, where a percent sign would end the command."""
    line = shlex.join(command).replace("%", "\\%")
    return f"# Add this line with: crontab -e\n17 * * * * {line}\n"
