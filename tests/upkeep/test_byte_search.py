"""Passages in the bytes of a file, wherever they stand in it, and whoever changes it meanwhile."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memory_db.upkeep.forget.byte_search import held_by, pieces_held


@given(st.binary(max_size=60), st.lists(st.binary(min_size=1, max_size=9), min_size=1, max_size=5), st.integers(1, 12))
def test_a_piece_is_found_across_portions(tmp_path: Path, data: bytes, sought: list[bytes], portion: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    assert held_by(path, sought, portion) == [number for number, part in enumerate(sought) if part in data]


def test_a_file_that_is_not_there_holds_nothing(tmp_path: Path) -> None:
    assert pieces_held([tmp_path / "none"], [b"words"]) == [[]]


def test_a_file_that_another_process_cuts_is_searched_to_its_end(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"words at the beginning")
    with path.open("r+b") as file:
        file.truncate(2**31)  # a hole: it takes no place, and a while to read
        found: list[list[list[int]]] = []
        search = threading.Thread(target=lambda: found.append(pieces_held([path], [b"words", b"none of it"])))
        search.start()
        time.sleep(0.3)
        file.truncate(100)
        search.join()
    assert found == [[[0]]]
