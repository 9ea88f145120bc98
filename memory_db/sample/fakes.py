"""Fake secrets and a tiny picture for the sample history.

What enters: texts with placeholders such as `{{fake:aws}}`. What leaves: the same texts with values of the right shape.
The values are joined from parts when the module is loaded, so that no line of the repository has the shape of a secret.
"""

import re
from typing import Any

from memory_db.errors import InputError

_PEM_BODY = "\n".join(
    ("MIIE" + "fakefake" * 7 + "0001", "Tide" + "notakey1" * 7 + "0002", "Lant" + "sample42" * 7 + "03==")
)
_PEM_KIND = " ".join(("RSA", "PRIVATE", "KEY"))
_PASSWORD = "-".join(("brine", "and", "barnacle", "77"))

FAKE_SECRETS: dict[str, str] = {
    "aws": "AKIA" + "TIDEPOOL" + "FAKE2345",
    "aws_secret": "wJal" + "FakeFake" * 4 + "EXMP",
    "github": "ghp" + "_" + "FaKe" * 8 + "42ab",
    "postgres": "postgres" + "://" + "tidepool" + ":" + _PASSWORD + "@localhost:5432/tidepool_dev",
    "postgres_password": _PASSWORD,
    "pem": f"-----BEGIN {_PEM_KIND}-----\n{_PEM_BODY}\n-----END {_PEM_KIND}-----",
    "pem_line": _PEM_BODY.splitlines()[0],
    "private": "the landlord's door code is " + "4" * 3 + "17",
}
"""Placeholder name to fake value. `postgres_password` and `pem_line` are the parts that must never be stored,
whatever a redactor leaves standing around them; `private` is what the `<private>` section says."""

# One pixel: the smallest picture that a PNG reader accepts, as base64; in parts, as a scanner takes it for a key.
TINY_PNG = "".join(
    (
        "iVBORw0KGgoAAAANSUhEUg",
        "AAAAEAAAABCAYAAAAfFcSJ",
        "AAAADUlEQVR42mNkYPhfDw",
        "AChwGA60e6kgAAAABJRU5E",
        "rkJggg==",
    )
)

_PLACEHOLDER = re.compile(r"\{\{fake:(\w+)\}\}")


def fill(value: Any) -> Any:
    """Give `value` with every `{{fake:NAME}}` in its strings replaced, however deep.

    Raises: InputError for a name that FAKE_SECRETS does not hold.
    """
    if isinstance(value, str):
        return _PLACEHOLDER.sub(_secret, value)
    if isinstance(value, list):
        return [fill(item) for item in value]
    if isinstance(value, dict):
        return {key: fill(item) for key, item in value.items()}
    return value


def _secret(match: re.Match[str]) -> str:
    name = match.group(1)
    if name not in FAKE_SECRETS:
        raise InputError(f"no fake secret is called {name!r}; use one of {', '.join(FAKE_SECRETS)}")
    return FAKE_SECRETS[name]
