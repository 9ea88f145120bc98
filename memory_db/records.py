"""What lets a cold process start fast: records and patterns that cost when they are used, not when imported.

A hook is a new process for each prompt. The standard library's dataclasses load `inspect`, which takes nearly as long
as the interpreter itself, and a pattern compiled at import is paid for even where no text needs it. The modules that a
hook loads import these from here; type checkers see the standard library's own.

Invariant: a record made here is a dataclass to everybody else: `fields`, `asdict`, `replace` and pandas accept it.
"""

from __future__ import annotations

from memory_db import packed

TYPE_CHECKING = False  # as in typing, which takes several milliseconds to load
if TYPE_CHECKING:
    import re
    from collections.abc import Callable
    from dataclasses import dataclass, field, replace
    from re import DOTALL, IGNORECASE
    from re import compile as later
    from typing import Any

    def marked(pattern: str, flags: int = 0, *, marks: tuple[str, ...]) -> re.Pattern[str]: ...


__all__ = ["DOTALL", "IGNORECASE", "dataclass", "field", "later", "marked", "replace"]


class _Later:
    """A regular expression compiled at its first use; from then on its methods are the compiled one's."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern, self.flags = pattern, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(packed.pattern(self.pattern, self.flags), name)
        setattr(self, name, found)
        return found


class _Marked(_Later):
    """One that is compiled only once a text has one of its marks: each text that it matches has one, in small letters.

    To look for fifty marks takes a thousandth of the time that it takes to compile a pattern.
    """

    def __init__(self, pattern: str, flags: int = 0, *, marks: tuple[str, ...]) -> None:
        super().__init__(pattern, flags)
        self.marks = marks

    def search(self, text: str) -> re.Match[str] | None:
        """The first place that matches."""
        folded = text.casefold()
        if not any(mark in folded for mark in self.marks):
            return None
        found: Callable[[str], re.Match[str] | None] = self.__getattr__("search")
        return found(text)


class _Field:
    """A default, or what makes one for each record."""

    def __init__(self, *, default: object = None, default_factory: Callable[[], object] | None = None) -> None:
        self.default, self.factory = default, default_factory


def _dataclass(*, slots: bool, frozen: bool = False, eq: bool = True) -> Callable[[type], type]:
    """Makes a class of annotated names a record, as the standard library's does; always with slots."""
    return lambda plain: _record(plain, frozen, eq)


def _replace(record: Any, **changes: object) -> Any:
    """A copy of a record with some of its values changed."""
    return type(record)(**{name: getattr(record, name) for name in record.__slots__} | changes)


def _record(plain: type, frozen: bool, eq: bool) -> type:
    """The class again, with a slot for each annotated name and the usual methods."""
    names = tuple(plain.__annotations__)
    own = {name: value for name, value in vars(plain).items() if name not in (*names, "__dict__", "__weakref__")}
    defaults = {name: _default(vars(plain)[name]) for name in names if name in vars(plain)}
    methods: dict[str, Any] = {
        "__init__": _first_init(names, defaults, frozen),
        "__repr__": _repr,
        "__reduce__": _reduce,
        "__dataclass_fields__": _Fields(plain.__annotations__, defaults),
    }
    if eq:
        methods |= {"__eq__": _eq, "__hash__": _hash if frozen else None}
    if frozen:
        methods |= {"__setattr__": _refuse, "__delattr__": _refuse}
    return type(plain.__name__, plain.__bases__, methods | own | {"__slots__": names, "__match_args__": names})


def _default(value: object) -> _Field:
    return value if isinstance(value, _Field) else _Field(default=value)


FEW = 20
"""Records of a class that are made before an `__init__` is written for it. Source: measured; writing one takes as long
as making thirty to sixty without, and of 37 classes that a recall loads 4 have more than twenty records."""


def _first_init(names: tuple[str, ...], defaults: dict[str, _Field], frozen: bool) -> Any:
    """`__init__` of the first records of a class; it gives way to one that is quick to call where there are more."""
    constants = {name: each.default for name, each in defaults.items() if each.factory is None}
    factories = {name: each.factory for name, each in defaults.items() if each.factory is not None}
    wanted, put, count = frozenset(names), object.__setattr__, 0

    def make(self: Any, *values: object, **named: object) -> None:
        nonlocal count
        count += 1
        given = dict(zip(names, values, strict=False)) | named
        is_clear = len(given) == len(values) + len(named)
        given = constants | given
        for name, factory in factories.items():
            if name not in given:
                given[name] = factory()
        if count > FEW or not is_clear or given.keys() != wanted:  # a written one says what is wrong, too
            made = type(self)
            made.__init__ = _init(made, defaults, frozen)
            made.__init__(self, *values, **named)
            return
        for name, value in given.items():
            put(self, name, value)

    return make


def _init(made: type, defaults: dict[str, _Field], frozen: bool) -> Any:
    """`__init__` with a parameter for each field. It is written as text and run: nothing else is as fast to call."""
    known: dict[str, Any] = {"_new": object()}
    parameters, lines = ["self"], []
    for name in made.__slots__:  # type: ignore[attr-defined]
        default = defaults.get(name)
        if default is None:
            parameters.append(name)
        elif default.factory is None:
            known[f"_default_{name}"] = default.default
            parameters.append(f"{name}=_default_{name}")
        else:
            known[f"_make_{name}"] = default.factory
            parameters.append(f"{name}=_new")
            lines.append(f" if {name} is _new: {name} = _make_{name}()")
        known[f"_set_{name}"] = getattr(made, name).__set__  # what frozen records have instead of setattr
        lines.append(f" _set_{name}(self, {name})" if frozen else f" self.{name} = {name}")
    exec("\n".join([f"def __init__({', '.join(parameters)}):", *lines]), known)
    return known["__init__"]


class _Fields:
    """`__dataclass_fields__`, by which the standard library knows a dataclass: made where somebody asks for it."""

    def __init__(self, annotations: dict[str, object], defaults: dict[str, _Field]) -> None:
        self.annotations, self.defaults = annotations, defaults

    def __get__(self, record: object, owner: Any) -> Any:
        import dataclasses  # noqa: PLC0415  # start-up: what this module is there to put off

        values = {
            name: dataclasses.field(default_factory=each.factory) if each.factory else each.default
            for name, each in self.defaults.items()
        }
        plain: Any = type(owner.__name__, (), {"__annotations__": self.annotations, **values})
        owner.__dataclass_fields__ = dataclasses.dataclass(eq=False)(plain).__dataclass_fields__
        return owner.__dataclass_fields__


def _repr(self: Any) -> str:
    shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__)
    return f"{type(self).__qualname__}({shown})"


def _reduce(self: Any) -> tuple[type, tuple[object, ...]]:
    return type(self), _values(self)


def _eq(self: Any, other: object) -> bool:
    return _values(self) == _values(other) if type(other) is type(self) else NotImplemented


def _hash(self: Any) -> int:
    return hash(_values(self))


def _refuse(self: Any, name: str, value: object = None) -> None:
    raise AttributeError(f"{name} of a {type(self).__name__} cannot be changed: make another with `replace`")


def _values(record: Any) -> tuple[object, ...]:
    return tuple([getattr(record, name) for name in record.__slots__])


if not TYPE_CHECKING:
    dataclass, field, replace, later, marked = _dataclass, _Field, _replace, _Later, _Marked
    IGNORECASE, DOTALL = 2, 16  # as `re` has them, which takes as long to load as twenty of our modules
