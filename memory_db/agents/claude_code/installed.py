"""What Claude Code itself notes of our plugin: that it was installed by name, from a marketplace.

In: the folder where Claude Code keeps its files. Out: each place where it is installed so. Nothing is written.

Where it is, Claude Code does not load a folder of the same name in `skills`, also while the plugin is disabled.
Source: tried with 2.1.197 and 2.1.330.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memory_db.agents.claude_code.files import read
from memory_db.agents.claude_code.marketplace import MARKETPLACE_NAME
from memory_db.agents.claude_code.plugin import PLUGIN

NAMED = f"{PLUGIN}@{MARKETPLACE_NAME}"
"""What Claude Code calls the plugin of the marketplace."""

INSTALLED_PLUGINS = "plugins/installed_plugins.json"

SETTINGS = {"user": "settings.json", "project": "settings.json", "local": "settings.local.json"}
"""The file that says whether a plugin of a scope is enabled: beside it in Claude Code's folder, or a project's."""


@dataclass(slots=True, frozen=True)
class MarketplacePlugin:
    """One place where Claude Code has the plugin of the marketplace: for every session, or for those of a project."""

    scope: str
    project: Path | None
    is_enabled: bool

    def meets(self, claude_folder: Path) -> bool:
        """Whether sessions have it for which something is installed below a folder of Claude Code's or a project's."""
        return self.project is None or self.project == claude_folder.parent


def marketplace_plugins(claude_folder: Path) -> list[MarketplacePlugin]:
    """Where the plugin of the marketplace is installed; none where Claude Code's notes are missing or broken.

    Raises: InstallError for what cannot be read.
    """
    plugins = object_in(claude_folder / INSTALLED_PLUGINS).get("plugins")
    noted = plugins.get(NAMED) if isinstance(plugins, dict) else None
    found = []
    for each in noted if isinstance(noted, list) else [noted]:
        if not isinstance(each, dict):
            continue
        project = each.get("projectPath")
        scope = str(each.get("scope", "user"))
        place = Path(project) if isinstance(project, str) else None
        folder = place / ".claude" if place else claude_folder
        enabled = object_in(folder / SETTINGS.get(scope, "settings.json")).get("enabledPlugins")
        is_enabled = not isinstance(enabled, dict) or enabled.get(NAMED) is not False
        found.append(MarketplacePlugin(scope, place, is_enabled))
    return found


def object_in(path: Path) -> dict[str, Any]:
    """The object that a file of JSON holds; an empty one where it is missing or holds none. Raises: InstallError."""
    data = read(path)
    try:
        value: Any = json.loads(data.decode("utf-8-sig")) if data is not None else None
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
