"""JSON for a process that has no time: the standard library's, without what the standard library loads for it.

`json` compiles six patterns at import, for which it loads `re` and `enum`; its own parser and writer in C need none of
them. In: texts, or values of plain types. Out: what `json.loads` and `json.dumps` give, to the letter. Invariant:
whatever is not plain, and whatever is wrong, is left to `json`, so that errors are its own.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from json import dumps, loads
    from typing import Any

    _scan: Any
    _encoder: Any
    _quote: Any
    _quote_ascii: Any

__all__ = ["dumps", "loads"]

SPACE = " \t\n\r"
"""What may stand around a value. Source: RFC 8259, section 2."""


class _Reading:
    """What the parser asks for: nothing is read otherwise than usual."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int
    parse_constant = {"-Infinity": float("-inf"), "Infinity": float("inf"), "NaN": float("nan")}.__getitem__


def _loads(text: str | bytes) -> Any:
    """The value that a text holds. Raises: json.JSONDecodeError."""
    if isinstance(text, str):
        try:
            value, end = _scan(text, len(text) - len(text.lstrip(SPACE)))
            if end == len(text) or not text[end:].strip(SPACE):
                return value
        except (StopIteration, SystemError):
            pass  # no value at all; or wrong, which the parser in C cannot say unless `json` is loaded
    import json  # noqa: PLC0415  # start-up: only where it is wrong, or no text

    return json.loads(text)


def _dumps(value: Any, *, ensure_ascii: bool = True, sort_keys: bool = False) -> str:
    """A value as a text. Raises: TypeError, ValueError."""
    quote = _quote_ascii if ensure_ascii else _quote
    if isinstance(value, str):
        return str(quote(value))
    parts: tuple[str, ...] = _encoder({}, _refuse, quote, None, ": ", ", ", sort_keys, False, True)(value, 0)
    return "".join(parts)


def _refuse(value: object) -> Any:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")


if not TYPE_CHECKING:
    try:
        from _json import encode_basestring as _quote
        from _json import encode_basestring_ascii as _quote_ascii
        from _json import make_encoder as _encoder
        from _json import make_scanner

        _scan = make_scanner(_Reading)
    except ImportError:  # an interpreter without them
        from json import dumps, loads
    else:
        dumps, loads = _dumps, _loads
