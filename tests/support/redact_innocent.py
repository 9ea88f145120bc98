"""Strings of developers' transcripts that hold no secret, 40 kinds of them, made at run time."""

# ruff: noqa: E501  # a kind a line

import base64
import random
import string
import uuid

from tests.support.redact_shapes import ALNUM, HEX, pick

NOUNS = "token key session cache secret password user auth access storage config theme build cookie query".split()
VERBS = "get set load parse refresh validate store render fetch update rotate check".split()
PARTS = "Handler Factory Provider Manager Service Error Response Context Options Builder Token Key Store".split()
WORDS = "header footer panel button primary dark large inner list item grid card modal".split()


def some(chance: random.Random, words: list[str], count: int) -> list[str]:
    return [chance.choice(words) for _ in range(count)]


def camel(chance: random.Random) -> str:
    return chance.choice(VERBS) + "".join(each.capitalize() for each in some(chance, NOUNS, 2)) + chance.choice(PARTS)


def snake(chance: random.Random) -> str:
    return "_".join([chance.choice(VERBS), *some(chance, NOUNS, 3)])


def b64(chance: random.Random, count: int) -> str:
    return base64.b64encode(chance.randbytes(count)).decode()


def uid(chance: random.Random) -> str:
    return str(uuid.UUID(int=chance.getrandbits(128), version=4))


def path(chance: random.Random) -> str:
    return "/".join(["src", *some(chance, NOUNS + WORDS, 3)]) + chance.choice([".ts", ".py", ".go", ".css"])


def number(chance: random.Random, digits: int) -> str:
    return str(chance.randint(10 ** (digits - 1), 10**digits - 1))


INNOCENT = {
    "path of a key": lambda chance: f"/tmp/py-of-sam/run-{chance.randrange(99)}/p-gw0/test_a_copy_{pick(chance, HEX, 6)}0/away/my.key",
    "password from stdin": lambda chance: f"gh auth token | docker login {chance.choice(WORDS)}.example --password-stdin -u sam",
    "uuid": lambda c: f'"id": "{uid(c)}"',
    "uuid beside key": lambda c: f"cache key {uid(c)} expired",
    "session uuid": lambda c: f"session_id={uid(c)}",
    "git sha": lambda c: f"commit {pick(c, HEX, 40)}",
    "git short": lambda c: f"{pick(c, HEX, 7)} Rotate the {c.choice(NOUNS)} {c.choice(PARTS).lower()}",
    "git index": lambda c: f"index {pick(c, HEX, 7)}..{pick(c, HEX, 7)} 100644",
    "integrity": lambda c: f'"integrity": "sha512-{b64(c, 64)}",',
    "script integrity": lambda c: f'<script src="/a.js" integrity="sha384-{b64(c, 48)}" crossorigin="anonymous">',
    "docker digest": lambda c: f"docker.io/library/{c.choice(WORDS)}@sha256:{pick(c, HEX, 64)}",
    "picture": lambda c: f'src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUg{b64(c, 90)}"',
    "font": lambda c: f"url(data:font/woff2;base64,d09GMgABAAAAA{b64(c, 120)})",
    "lock line": lambda c: f'"resolved": "https://registry.npmjs.org/{c.choice(WORDS)}/-/{c.choice(WORDS)}-1.2.3.tgz",',
    "poetry lock": lambda c: f'{{file = "{c.choice(WORDS)}-1.0-py3-none-any.whl", hash = "sha256:{pick(c, HEX, 64)}"}},',
    "go sum": lambda c: f"github.com/example/{c.choice(NOUNS)} v1.4.{c.randint(0, 30)} h1:{b64(c, 32)}",
    "pip hash": lambda c: f"    --hash=sha256:{pick(c, HEX, 64)} \\",
    "camel": lambda c: f"const {c.choice(NOUNS)} = {camel(c)}({c.choice(NOUNS)});",
    "camel key": lambda c: f"key: {camel(c)},",
    "snake": lambda c: f"{snake(c)} = {snake(c)}({c.choice(NOUNS)})",
    "constant": lambda c: f'token: "{c.choice(NOUNS).upper()}_{c.choice(PARTS).upper()}_{c.randint(0, 9)}"',
    "storage key": lambda c: f'storage_key: "{"-".join(some(c, WORDS, 2))}-settings-v{c.randint(0, 9)}"',
    "css class": lambda c: f'class="{"-".join(some(c, WORDS, 3))} {c.choice(WORDS)}__{c.choice(WORDS)}--{c.choice(WORDS)}"',
    "css module": lambda c: f".{c.choice(WORDS)}_{pick(c, ALNUM, 5)} {{ color: #{pick(c, HEX, 6)}; }}",
    "tailwind": lambda c: f'className="mt-{c.randint(1, 9)} text-{c.choice(WORDS)}-{c.randint(1, 9)}00 hover:bg-[#{pick(c, HEX, 6)}]"',
    "path": lambda c: f"  modified:   {path(c)}",
    "path with key": lambda c: f"secret key file: /etc/{c.choice(NOUNS)}/{'-'.join(some(c, WORDS, 3))}.pem",
    "import": lambda c: f'import {{ {camel(c)} }} from "@/{path(c)[:-3]}"',
    "environment": lambda c: f"token = os.environ['{c.choice(NOUNS).upper()}_TOKEN']",
    "variable": lambda c: f"{c.choice(NOUNS).upper()}_PASS=${{{c.choice(NOUNS).upper()}_PASSWORD}}",
    "placeholder": lambda c: f"API_KEY=your-{c.choice(NOUNS)}-key-here",
    "stacktrace": lambda c: f"    at {camel(c)} ({path(c)}:{c.randint(1, 900)}:{c.randint(1, 80)})",
    "prose password": lambda c: f"The password {c.choice(['is hashed', 'must be reset', 'is required', 'field is empty', 'is wrong'])} before the {c.choice(NOUNS)} is {c.choice(['stored', 'used', 'sent'])}.",
    "prose token": lambda c: f"Each token is {c.choice(['validated', 'refreshed', 'cached', 'counted'])} by the {c.choice(PARTS).lower()}, see {camel(c)}.",
    "prose German": lambda c: f"Das Passwort ist {c.choice(['falsch', 'abgelaufen', 'zu kurz', 'nicht gesetzt'])}, der Schlüssel {c.choice(['fehlt', 'passt nicht', 'liegt im Tresor'])}.",
    "tokens counted": lambda c: f'"input_tokens": {c.randint(1, 99999)}, "cache_read_input_tokens": {c.randint(1, 999999)}',
    "test output": lambda c: f"tests/{c.choice(NOUNS)}/test_{snake(c)}.py::test_{snake(c)} PASSED [ {c.randint(1, 99)}%]",
    "timestamp": lambda c: f"2026-0{c.randint(1, 9)}-1{c.randint(0, 9)}T12:{c.randint(10, 59)}:{c.randint(10, 59)}.{number(c, 6)}Z key={c.randint(1, 999)}",
    "url": lambda c: f"https://example.com/{c.choice(NOUNS)}/{c.randint(1, 9999)}?page={c.randint(1, 9)}&sort={c.choice(NOUNS)}&key={c.choice(NOUNS)}",
    "sql": lambda c: f"SELECT {c.choice(NOUNS)}_id, password_hash FROM {c.choice(NOUNS)}s WHERE token = :token LIMIT {c.randint(1, 99)};",
    "typed": lambda c: f"def {snake(c)}(password: str, token: str | None = None) -> {c.choice(PARTS)}:",
    "form": lambda c: f'<input type="password" name="password" id="{c.choice(WORDS)}-password" placeholder="Password {c.randint(1, 3)}">',
    "message uid": lambda c: f'"id": "msg_01{pick(c, ALNUM, 22)}", "tool_use_id": "toolu_01{pick(c, ALNUM, 22)}"',
    "request uid": lambda c: f'"requestId": "req_011C{pick(c, ALNUM, 20)}"',
    "etag": lambda c: f'etag: W/"{pick(c, HEX, 32)}"',
    "public key": lambda c: f"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI{b64(c, 32)[:43]} me@host",
    "bundle": lambda c: f"dist/assets/{c.choice(NOUNS)}-{pick(c, ALNUM, 8)}.js  {c.randint(1, 999)}.{c.randint(10, 99)} kB",
    "minified": lambda c: f"function {pick(c, string.ascii_letters, 2)}(e,t){{return e.key==={c.choice('abc')}?t.token:n({c.randint(1, 99)})}}",
    "version": lambda c: f"{c.choice(WORDS)}=={c.randint(0, 9)}.{c.randint(0, 30)}.{c.randint(0, 30)}; python_version >= '3.11'",
    "translation": lambda c: f'"password.reset.{c.choice(WORDS)}": "Reset your password",',
    "shell": lambda c: f"mkdir -p {path(c)[:-3]} && grep -rn \"{c.choice(NOUNS)}_key\" --include='*.py' | head -{c.randint(1, 50)}",
    "command flags": lambda c: f"docker run -p {c.randint(1000, 9999)}:80 -u {c.randint(1, 999)} -a stdout {c.choice(WORDS)}:latest",
    "vendor digest": lambda c: f"{c.choice(['discord', 'datadog', 'linear', 'github'])}/{c.choice(WORDS)}@sha256:{pick(c, HEX, 64)}",
    "vendor sha": lambda c: f"uses: {c.choice(['codecov/codecov-action', 'snyk/actions', 'cloudflare/pages-action'])}@{pick(c, HEX, 40)}",
    "migration": lambda c: f"revision = '{pick(c, HEX, 12)}'  # add {c.choice(NOUNS)} key",
    "base64 text": lambda c: base64.b64encode(f"{camel(c)} renders the {path(c)} list".encode()).decode(),
    "url escaped": lambda c: f"https://example.com/?q={'%20'.join(some(c, NOUNS + WORDS, 4))}%2F{c.choice(WORDS)}",
}  # fmt: skip
"""Kind -> how one is made."""


def innocent(count: int, seed: int = 11) -> list[tuple[str, str]]:
    """Pairs of kind and string, all kinds in turn."""
    chance = random.Random(seed)
    kinds = list(INNOCENT)
    return [(kinds[at % len(kinds)], INNOCENT[kinds[at % len(kinds)]](chance)) for at in range(count)]
