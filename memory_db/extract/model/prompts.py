"""Our prompts as templates of llm: shipped with the package, edited in llm's own way, and versioned by their text.

In: the name of a prompt, and llm's folder of templates. Out: `Prompt`, and its row in `prompts` once it is used.
Invariants: the version follows from the text and the schema alone; a user's own template of the name
`memory-NAME.yaml` goes before the shipped one; a prompt that would not show the transcript is refused.
"""

from __future__ import annotations

import json
import sqlite3
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import yaml
from pydantic import ValidationError

from memory_db.errors import InputError, NotFoundError
from memory_db.extract.model.answers import schema_of
from memory_db.extract.model.pair_answers import pair_schema
from memory_db.redact.clean import clean
from memory_db.store.dates import utc_text
from memory_db.store.seeds import KINDS

if TYPE_CHECKING:
    import llm

VERSION_DIGITS = 12

TEMPLATE_PREFIX = "memory-"
"""What a user's own template is called: this, then the name of the prompt."""

INPUT = "input"
"""The variable that stands for the transcript, as in llm's own templates."""


@dataclass(frozen=True, slots=True)
class Purpose:
    """What a prompt is for: the kinds it may propose, how many messages a session needs for it, and whether it is shown
    what is known already."""

    kinds: tuple[str, ...]
    fewest_messages: int
    is_shown_known: bool = False


BEHAVIOUR_KINDS = ("behaviour", "pattern", "preference")

PURPOSES = {
    "extract": Purpose(
        tuple(kind.name for kind in KINDS if kind.name not in ("behaviour", "pattern", "episode")),
        fewest_messages=2,
        is_shown_known=True,
    ),
    "behaviour": Purpose(BEHAVIOUR_KINDS, fewest_messages=10),
}
"""The prompts there are. Source: ten messages for behaviour is claude-memory's bar; two for the rest are ours, a
question and its answer."""

JUDGE = "judge"
"""The prompt about two memories; it reads no session and proposes no kinds."""

NAMES = (*PURPOSES, JUDGE)


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt as it stands now. `text` is its template with its schema, from which `version` follows.

    `is_edited` says that it is a user's own; `system`, `prompt` and `options` are those of the template.
    """

    name: str
    version: str
    text: str
    is_edited: bool
    template: llm.Template
    schema: dict[str, Any]

    @property
    def purpose(self) -> Purpose:
        """What the prompt is for; the one about two memories has no such."""
        return PURPOSES[self.name]

    @property
    def is_shown_known(self) -> bool:
        """Whether it is shown what is known already; the one about two memories is not."""
        return self.name in PURPOSES and self.purpose.is_shown_known

    @property
    def looks_over(self) -> bool:
        """Whether it also says what becomes of lines that rules kept; a user's own may not."""
        return "doubted" in self.schema.get("properties", {})

    def method(self, model_id: str) -> str:
        """What progress and runs with this prompt and a model are called."""
        return f"{self.name} {model_id}"

    def filled(self, transcript: str) -> tuple[str, str]:
        """System prompt and prompt with the transcript in its place."""
        prompt, system = self.template.evaluate(transcript)
        return system or "", prompt or ""


def load_prompt(name: str) -> Prompt:
    """The prompt of a name, a user's own before the shipped one.

    Raises: NotFoundError for an unknown name; InputError for a template that cannot be used.
    """
    import llm  # noqa: PLC0415  # start-up: llm and its plugins take a second

    check_name(name)
    own = Path(llm.user_dir()) / "templates" / f"{TEMPLATE_PREFIX}{name}.yaml"  # type: ignore[no-untyped-call]
    is_edited = own.is_file()
    source = read_own(own) if is_edited else shipped_text(name)
    template = template_of(f"{TEMPLATE_PREFIX}{name}", source, str(own) if is_edited else "the package")
    says_of_doubts = "doubted" in (template.system or "") + (template.prompt or "")
    schema = template.schema_object or schema_for(name, looks_over=says_of_doubts)
    text = source.rstrip() + "\n---\n" + json.dumps(schema, ensure_ascii=False, sort_keys=True) + "\n"
    version = sha256(text.encode("utf-8", "replace")).hexdigest()[:VERSION_DIGITS]
    return Prompt(name, version, text, is_edited, template, schema)


def check_name(name: str) -> None:
    """Refuses a name that no prompt has. Raises: NotFoundError."""
    if name not in NAMES:
        raise NotFoundError(f"No prompt {name!r}. There are: {', '.join(NAMES)}.")


def schema_for(name: str, *, looks_over: bool = True) -> dict[str, Any]:
    """What the shipped prompt of a name asks to be answered; of doubts only where it `looks_over` what rules kept.

    Raises: NotFoundError for an unknown name.
    """
    check_name(name)
    if name == JUDGE:
        return pair_schema()
    purpose = PURPOSES[name]
    return schema_of(purpose.kinds, looks_over=looks_over and purpose.is_shown_known)


def read_own(path: Path) -> str:
    """A user's own template. Raises: InputError."""
    try:
        return path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"The template {path} cannot be read ({error}). Mend or remove it.") from error


def shipped_text(name: str) -> str:
    """The template that comes with the package."""
    return files("memory_db.extract.model").joinpath("templates", f"{name}.yaml").read_text("utf-8")


def template_of(name: str, source: str, place: str) -> llm.Template:
    """YAML as a template of llm that shows the transcript. Raises: InputError."""
    import llm  # noqa: PLC0415  # start-up: llm and its plugins take a second

    try:
        loaded = yaml.safe_load(source)
    except yaml.YAMLError as error:
        raise InputError(f"The template {name} of {place} is no YAML: {' '.join(str(error).split())}.") from error
    values = {"prompt": loaded} if isinstance(loaded, str) else loaded
    if not isinstance(values, dict):
        raise InputError(f"The template {name} of {place} is neither a text nor a mapping. See `llm templates show`.")
    try:
        template = llm.Template(**(values | {"name": name}))  # type: ignore[no-untyped-call]
    except (ValidationError, TypeError) as error:
        raise InputError(
            f"The template {name} of {place} is not one of llm's: {' '.join(str(error).split())}"
        ) from error
    check_variables(template, place)
    return template


def check_variables(template: llm.Template, place: str) -> None:
    """Refuses a template that leaves the transcript out, or waits for something that nobody gives it."""
    known = {INPUT, *(template.defaults or {})}
    unknown = sorted(variable for variable in template.vars() if variable not in known)
    if unknown:
        raise InputError(
            f"The template {template.name} of {place} asks for ${unknown[0]}, which has no default. "
            "Give it one, or write $$ for a dollar sign."
        )
    if not all(Template(text).is_valid() for text in (template.prompt, template.system) if text):
        raise InputError(f"The template {template.name} of {place} has a lone dollar sign. Write $$ for it.")
    if template.prompt and f"${INPUT}" not in template.prompt and f"${{{INPUT}}}" not in template.prompt:
        raise InputError(f"The prompt of the template {template.name} of {place} has no $input for the transcript.")


def shipped_template(name: str) -> llm.Template:
    """A shipped prompt as a template of llm, schema included. Raises: NotFoundError."""
    schema = schema_for(name)
    template = template_of(f"memory:{name}", shipped_text(name), "the package")
    template.schema_object = schema
    return template


def prompt_row(db: sqlite3.Connection, prompt: Prompt, *, now: datetime) -> int:
    """The id of this version of a prompt in `prompts`, where it is kept from its first use on."""
    db.execute(
        "insert or ignore into prompts (name, version, text, is_edited, created_at) values (?, ?, ?, ?, ?)",
        [prompt.name, prompt.version, clean(prompt.text)[0], int(prompt.is_edited), utc_text(now)],
    )
    row = db.execute("select id from prompts where name = ? and version = ?", [prompt.name, prompt.version]).fetchone()
    return int(row["id"])
