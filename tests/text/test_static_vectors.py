"""Static vectors: the same pieces as the reference tokenizer, vectors that tell related texts from others."""

import math
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from memory_db.errors import ModelError
from memory_db.text import static_vectors
from memory_db.text.static_vectors import (
    DIMENSIONS,
    MAX_TEXT_CHARS,
    MAX_WORD_CHARS,
    MODEL_ID,
    SCALE,
    cosine,
    meta,
    numbers,
    split_pieces,
    split_words,
    text_vector,
    text_vectors,
)

ROOT = Path(__file__).parents[2]

TEXTS = [
    "Run the test suite with pytest -q from the repository root",
    "Café naïve Ångström façade, déjà vu",
    "tabs\tnew\nlines\r\nand\x0bothers\x85here",
    "a\x00b\ufffdc\u200bd",
    "snake_case_name and kebab-case-name and a.dotted.path",
    "https://example.org/a/b?c=d&e=f#g",
    "x=1;y+=2 // 100% <div class='k'>&amp;</div>",
    "unaffable supercalifragilistic antidisestablishment",
    "日本語のテキスト mixed with English",
    "Привет мир and ελληνικά words",
    "price: €5 – “quoted” … done!",
    "😀 emoji 🎉 inside",
    "straße Łódź øre þing",
    "deadbeefdeadbeefdeadbeefdeadbeef is a hash",
    "\u0130stanbul \u01c5 \ufb01ne",
]

RELATED = [
    ("users get logged out", "authentication session expired", "the cat sleeps on the sofa"),
    ("run the unit tests", "execute the test suite with pytest", "invoices are sent every month"),
    ("which database do we use", "data is stored in PostgreSQL", "buttons are blue and rounded"),
    ("getUserById fails", "fetching a user by id", "css colours of the header"),
    ("deploy to production", "release the service on the server", "the meeting was about holidays"),
    ("typing errors from mypy", "static type checker complaints", "docker image is too large"),
    ("secrets and passwords", "credentials are kept in a vault", "dates are shown in local time"),
    ("install javascript packages", "use pnpm for npm dependencies", "the query returns no rows"),
    ("parse_config raises KeyError", "error while parsing the config", "a photo of the mountains"),
    ("memory leak", "process uses more and more RAM", "names of branches in git"),
]


@pytest.fixture(scope="module")
def reference() -> Tokenizer:
    """BERT's own steps by another implementation, over the words that our file knows."""
    with closing(sqlite3.connect(static_vectors.ASSET)) as asset:
        rows = asset.execute("select token from static_vectors")
        vocabulary = {token: number for number, (token,) in enumerate(rows, start=1)} | {"[UNK]": 0}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=MAX_WORD_CHARS))
    tokenizer.normalizer = normalizers.BertNormalizer(
        clean_text=True, handle_chinese_chars=True, strip_accents=True, lowercase=True
    )
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def expected_pieces(reference: Tokenizer, text: str) -> list[str]:
    return [token for token in reference.encode(text).tokens if token != "[UNK]"]


def our_pieces(text: str) -> list[str]:
    return [piece for word in split_words(text) for piece in split_pieces(word)]


@pytest.mark.parametrize("text", TEXTS)
def test_pieces_are_those_of_the_reference_tokenizer(reference: Tokenizer, text: str) -> None:
    assert our_pieces(text) == expected_pieces(reference, text)


# Latin letters, accents, and every kind of character that must not disturb them. Of other scripts only a few: which
# characters are marks or letters there depends on the Unicode version of each implementation.
CHARACTERS = st.one_of(
    st.sampled_from(" \t\n\r\x00\x07\u00a0\u2028\u200d\ufffd_-.'\"$+#@(){}😀日한ß"),
    st.characters(min_codepoint=32, max_codepoint=0x24F),
    st.characters(min_codepoint=0x300, max_codepoint=0x36F),
)


@given(st.text(CHARACTERS, max_size=60).map(str.lower))
def test_pieces_equal_the_reference_on_any_lower_case_text(reference: Tokenizer, text: str) -> None:
    assert our_pieces(text) == expected_pieces(reference, text)


@given(st.lists(st.sampled_from(["Fix", "the", "LOGIN", "page", "Retry", "42", "TESTS"]), max_size=12))
def test_capitals_without_humps_change_nothing(words: list[str]) -> None:
    assert text_vector(" ".join(words)) == text_vector(" ".join(words).lower())


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("getUserById", ["get", "user", "by", "id"]),
        ("HTTPServerTimeout", ["http", "server", "timeout"]),
        ("snake_case_name", ["snake", "case", "name"]),
        ("JavaScript", ["javascript"]),
        ("GitHub", ["github"]),
        ("APIs and IDs", ["apis", "and", "ids"]),
        ("OOMKilled", ["oom", "killed"]),
        ("ConnectionPoolExhaustedError", ["connection", "pool", "exhausted", "error"]),
    ],
)
def test_identifiers_are_opened_into_words(name: str, words: list[str]) -> None:
    assert split_words(name) == words


@pytest.mark.parametrize("text", ["", " \n\t", "\x00", "...!?", "😀🎉", "日本語", "мир", "_" * 50, "\ufffd"])
def test_a_text_without_known_words_has_no_vector(text: str) -> None:
    assert text_vector(text) is None


@given(st.text(max_size=300))
def test_any_text_gives_a_unit_vector_or_none(text: str) -> None:
    vector = text_vector(text)
    if vector is not None:
        assert len(vector) == DIMENSIONS
        length = math.hypot(*numbers(vector))
        # Rounding moves each of the 256 numbers by at most one half.
        assert abs(length - SCALE) <= math.sqrt(DIMENSIONS) / 2


@given(st.text(max_size=80), st.text(max_size=80))
@pytest.mark.slow
def test_the_cosine_is_symmetric_and_between_minus_1_and_1(left: str, right: str) -> None:
    one, other = text_vector("commit " + left), text_vector("branch " + right)
    assume(one is not None and other is not None)  # what is mostly in another script has none
    assert one is not None and other is not None
    assert cosine(numbers(one), other) == cosine(numbers(other), one)
    assert -1.0 <= cosine(numbers(one), other) <= 1.0
    assert cosine(numbers(one), one) > 0.97


@pytest.mark.parametrize(("query", "near", "far"), RELATED)
def test_related_texts_are_nearer_than_unrelated_ones(query: str, near: str, far: str) -> None:
    vector, near_vector, far_vector = text_vectors([query, near, far])
    assert vector is not None and near_vector is not None and far_vector is not None
    assert cosine(numbers(vector), near_vector) > cosine(numbers(vector), far_vector) + 0.05


def test_unrelated_texts_are_near_zero_on_the_average() -> None:
    """Without the common component every two English texts would look half alike."""
    queries = [numbers(vector) for vector in text_vectors([query for query, _, _ in RELATED]) if vector]
    others = [vector for vector in text_vectors([far for _, _, far in RELATED]) if vector]
    cosines = [cosine(query, other) for query in queries for other in others]
    assert abs(sum(cosines) / len(cosines)) < 0.12


def test_only_the_beginning_of_a_long_text_counts() -> None:
    start = ("commit the migration " * 200)[:MAX_TEXT_CHARS]
    assert text_vector(start + " pictures of mountains" * 100) == text_vector(start)


def test_many_texts_give_the_same_bytes_as_each_alone_and_from_many_threads() -> None:
    texts = [*TEXTS, *(text for row in RELATED for text in row)] * 3
    alone = [text_vector(text) for text in texts]
    assert list(text_vectors(texts)) == alone
    static_vectors._token_row.cache_clear()
    static_vectors._word_row.cache_clear()
    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(text_vector, texts)) == alone


def test_the_vector_is_the_weighted_sum_of_its_pieces() -> None:
    """The packed addition against the plain one."""
    text = "Never commit directly to the main branch of getUserById"
    sums = [0] * DIMENSIONS
    with closing(sqlite3.connect(static_vectors.ASSET)) as connection:
        for piece in our_pieces(text):
            query = "select weight, vector from static_vectors where token = ?"
            weight, vector = connection.execute(query, (piece,)).fetchone()
            sums = [total + weight * number for total, number in zip(sums, numbers(vector), strict=True)]
    length = math.sqrt(sum(number * number for number in sums))
    found = text_vector(text)
    assert found is not None
    assert numbers(found) == [round(SCALE * number / length) for number in sums]


def test_the_packed_addition_cannot_overflow() -> None:
    """A text of MAX_TEXT_CHARS pieces, each of the greatest weight, decomposed to four characters each."""
    pieces = 4 * MAX_TEXT_CHARS
    assert 255 * static_vectors.MAX_WEIGHT * pieces < 2**32
    with closing(sqlite3.connect(static_vectors.ASSET)) as asset:
        heaviest = asset.execute("select max(weight) from static_vectors").fetchone()[0]
    assert heaviest <= static_vectors.MAX_WEIGHT


def test_the_model_id_is_the_one_of_the_file() -> None:
    about = meta()
    assert about["model_id"] == MODEL_ID
    assert int(about["dimensions"]) == DIMENSIONS


def test_the_file_is_never_written() -> None:
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        static_vectors._asset().execute("delete from static_vectors")


def test_a_missing_file_is_a_clear_error(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(static_vectors, "ASSET", tmp_path / "none.db")
    static_vectors._asset.cache_clear()
    static_vectors._word_row.cache_clear()
    static_vectors._token_row.cache_clear()
    try:
        with pytest.raises(ModelError, match=r"static vectors are missing at .*none\.db: install"):
            text_vector("commit")
    finally:
        static_vectors._asset.cache_clear()


def test_the_standard_library_is_enough() -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "from memory_db.text.static_vectors import *\n"
        "import memory_db.text.static_vectors as s\n"
        "v = s.text_vector('run the tests'); print(s.cosine(s.numbers(v), s.text_vector('execute the test suite')))"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) > 0.5
