"""Records and patterns of the fast start are what the standard library's are to everybody who uses them."""

import dataclasses

import pytest

from memory_db.records import FEW, dataclass, field, later, replace


@dataclass(slots=True, frozen=True)
class Point:
    """Two numbers and a list."""

    x: int
    y: int = 2
    notes: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The sum."""
        return self.x + self.y


@dataclass(slots=True)
class Counter:
    """One that changes."""

    name: str
    count: int = field(default=0)


@dataclass(slots=True, frozen=True, eq=False)
class Rule:
    """One that is only itself."""

    name: str


def test_takes_values_by_place_and_name_and_makes_defaults_anew() -> None:
    one, other = Point(1), Point(1, y=2)
    assert (one.x, one.y, one.notes, one.total) == (1, 2, [], 3)
    assert one == other and one.notes is not other.notes
    assert one != Point(3) and one != (1, 2, [])
    assert repr(one) == "Point(x=1, y=2, notes=[])"
    with pytest.raises(TypeError):
        Point()  # type: ignore[call-arg]


def test_the_first_records_of_a_class_are_as_those_that_follow() -> None:
    @dataclass(slots=True, frozen=True)
    class Made:
        one: int
        more: list[int] = field(default_factory=list)
        name: str = "x"

    first = Made.__init__
    made = [Made(number, name=str(number)) for number in range(2 * FEW)]
    assert Made.__init__ is not first, "there are many of them"
    assert [(each.one, each.more, each.name) for each in made] == [(n, [], str(n)) for n in range(2 * FEW)]
    assert made[0].more is not made[1].more and made[0] == Made(0, [], "0")


@pytest.mark.parametrize("given", [((), {}), ((1, 2, [], 3), {}), ((1,), {"x": 1}), ((1,), {"z": 1})])
def test_a_wrong_first_record_is_refused_in_pythons_words(given: tuple[tuple[int, ...], dict[str, int]]) -> None:
    @dataclass(slots=True)
    class Made:
        x: int
        y: int = 2
        notes: list[str] = field(default_factory=list)

    with pytest.raises(TypeError, match=r"__init__\(\)"):
        Made(*given[0], **given[1])


def test_a_frozen_record_stays_and_others_change() -> None:
    with pytest.raises(AttributeError):
        Point(1).x = 3  # type: ignore[misc]
    counter = Counter("a")
    counter.count += 1
    assert counter == Counter("a", 1)
    with pytest.raises(AttributeError):
        counter.other = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError):
        hash(counter)
    assert replace(counter, name="b") == Counter("b", 1)


def test_equality_can_be_left_out() -> None:
    rule = Rule("a")
    assert rule != Rule("a")
    assert {rule: 1}[rule] == 1


def test_the_standard_library_takes_it_for_a_dataclass() -> None:
    point = Point(1, notes=["a"])
    assert dataclasses.is_dataclass(point)
    assert dataclasses.asdict(point) == {"x": 1, "y": 2, "notes": ["a"]}
    assert dataclasses.replace(point, x=5) == Point(5, 2, ["a"])
    assert [each.name for each in dataclasses.fields(Counter)] == ["name", "count"]
    assert dataclasses.fields(Counter)[1].default == 0


def test_a_pattern_is_compiled_at_its_first_use() -> None:
    digits = later(r"(?P<number>\d+)")
    assert "match" not in vars(digits)
    found = digits.search("a 12")
    assert found is not None and found["number"] == "12"
    assert digits.sub("x", "1 and 2") == "x and x"


def test_a_wrong_pattern_says_so_when_used() -> None:
    with pytest.raises(Exception, match="unterminated"):
        later("(").match("a")
