"""All shards as the one who asks knows them: what the words of a question are worth, which project is meant.

In: an engine, and the shards of a scope. Out: a question that is read, and counts of all shards for it. Invariants:
what was counted in a shard is remembered until its file changes; what a shard that did not answer would have added is
not in the counts.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from memory_db.errors import NotFoundError
from memory_db.fleet.numbers import Facts, Key, Numbers
from memory_db.fleet.ranking import Size
from memory_db.index import grams
from memory_db.index.semantic import Asked, asked_of
from memory_db.knowledge.graph.entities import names_in
from memory_db.models.embedders import MAX_CHARS
from memory_db.recall import meant
from memory_db.recall.corpus import YOUNG, Corpus
from memory_db.recall.meant import Named
from memory_db.recall.profiles import Profile
from memory_db.recall.question import Question
from memory_db.recall.read import FULL_TEXTS, Query
from memory_db.recall.similarity import silent_words
from memory_db.text.names.literals import literals_in
from memory_db.text.scripts import ENGLISH_MODELS, is_gram, mostly_another_script, spaced
from memory_db.text.terms import query_terms
from memory_db.text.wording import SHORTEST_CORRECTED, FileWords, joined_words, split_words
from memory_db.upkeep.merge.projects import grouped

ALL_TEXTS = FULL_TEXTS["all"]

PAIR_TABLES = {table: grams.GRAM_TEXTS[table].table for table in ALL_TEXTS}

MOST_KNOWN = 500_000
"""Counts that a fleet remembers: some hundred megabytes at most. Source: ours."""

Ask = Callable[[Mapping[int, Sequence[Key]]], dict[int, list[Any]]]
"""Counts keys in shards, by their numbers. Raises: Lost, where one did not answer."""


class Counted:
    """What was counted in shards, as long as their files are as they were."""

    def __init__(self, ask: Ask) -> None:
        self.ask = ask
        self.known: dict[tuple[int, Key], Any] = {}

    def of(self, shards: Iterable[int], keys: Iterable[Key]) -> dict[Key, dict[int, Any]]:
        """What each shard has of each key; those that are not known are asked for in one round."""
        wanted, numbers = list(dict.fromkeys(keys)), list(shards)
        self.fetch(dict.fromkeys(numbers, wanted))
        return {key: {number: self.known[number, key] for number in numbers} for key in wanted}

    def fetch(self, wanted: Mapping[int, Iterable[Key]]) -> None:
        """Asks each shard for what is not known of it yet, in one round."""
        missing = {
            number: [key for key in dict.fromkeys(keys) if (number, key) not in self.known]
            for number, keys in wanted.items()
        }
        missing = {number: keys for number, keys in missing.items() if keys}
        for number, values in (self.ask(missing) if missing else {}).items():
            self.known |= {(number, key): value for key, value in zip(missing[number], values, strict=True)}

    def forget(self, number: int) -> None:
        """Forgets what a shard had."""
        self.known = {key: value for key, value in self.known.items() if key[0] != number}


class FleetWords(FileWords):
    """Which words the full texts of all shards have."""

    def __init__(self, corpus: FleetCorpus) -> None:
        self.corpus = corpus

    def known(self, tables: Iterable[str], words: Iterable[str]) -> set[str]:
        asked, listed = list(words), list(tables)
        found = self.corpus.sums([("known", table, word) for table in listed for word in asked])
        return {word for word in asked if any(found["known", table, word] for table in listed)}

    def stem_counts(self, tables: Iterable[str], stems: Iterable[str]) -> dict[str, int]:
        asked, listed = list(dict.fromkeys(stems)), list(tables)
        found = self.corpus.sums([("stem", table, stem) for table in listed for stem in asked])
        counts = {stem: sum(found["stem", table, stem] for table in listed) for stem in asked}
        return {stem: count for stem, count in counts.items() if count}

    def stems_between(self, table: str, start: str, end: str, most: int) -> list[tuple[str, int]]:
        key = ("stems between", table, start, end, most)
        counts: Counter[str] = Counter()
        for rows in self.corpus.counted.of(self.corpus.facts, [key])[key].values():
            for stem, texts in rows:
                counts[stem] += texts
        return sorted(counts.items())[:most]


class Projects:
    """The projects of all shards: those that share a path or a remote are one, as when the files are merged."""

    def __init__(self, facts: Mapping[int, Facts]) -> None:
        groups = grouped([set(each) for found in facts.values() for each in found.handles.values()])
        numbers = {group: place for place, group in enumerate(dict.fromkeys(groups.values()), start=1)}
        self.of_shard: dict[int, dict[int, int]] = {
            shard: {project: numbers[groups[next(iter(each))]] for project, each in found.handles.items()}
            for shard, found in facts.items()
        }
        self.keys = {
            shard: {numbers_of[project]: key for project, key in facts[shard].keys.items()}
            for shard, numbers_of in self.of_shard.items()
        }
        known: dict[int, set[int]] = {}
        for each in self.keys.values():
            for number, key in each.items():
                known.setdefault(number, set()).add(key)
        self.with_paths = {number for number, keys in known.items() if len(keys) > 1}
        self.names = {
            shard: {project: name for project, name, _, _ in reversed(found.projects) if name}
            for shard, found in facts.items()
        }
        self.places = [
            (self.of_shard[shard][project], name, path, remote)
            for shard, found in facts.items()
            for project, name, path, remote in found.projects
        ]

    def parted(self) -> dict[int, list[str]]:
        """Of shards that have two projects which others know to be one, the names of those."""
        found: dict[int, list[str]] = {}
        for shard, numbers_of in self.of_shard.items():
            several = [number for number, count in Counter(numbers_of.values()).items() if count > 1]
            names = [self.names[shard][project] for project, number in numbers_of.items() if number in several]
            if names:
                found[shard] = sorted(names)
        return found

    def moved(self, shard: int) -> dict[int, int]:
        """The fleet's numbers of a shard's projects that others know by other paths, by its keys in ties."""
        return {key: number for number, key in self.keys[shard].items() if number in self.with_paths}

    def own(self, shard: int) -> dict[int, int]:
        """A shard's number of each project that it has."""
        return {number: project for project, number in self.of_shard[shard].items()}

    def named(self, name: str) -> int:
        """The project of a name or path. Raises: NotFoundError."""
        for number, called, path, remote in self.places:
            if name in (called, path, remote):
                return number
        names = ", ".join(sorted({called for _, called, _, _ in self.places if called}))
        raise NotFoundError(f"No project {name[:80]!r} in these shards. There are: {names or 'none yet'}.")


class FleetCorpus(Corpus):
    """The texts of all shards that answer."""

    words: FileWords

    def __init__(self, facts: Mapping[int, Facts], counted: Counted) -> None:
        self.facts, self.counted = dict(facts), counted
        self.words = FleetWords(self)
        self.projects = Projects(self.facts)

    def sums(self, keys: Iterable[Key]) -> dict[Key, int]:
        """What all shards have of each key together."""
        return {key: sum(each.values()) for key, each in self.counted.of(self.facts, keys).items()}

    @property
    def model(self) -> str:
        """The embedding model of most shards, or nothing."""
        models = Counter(each.model for each in self.facts.values() if each.model)
        return models.most_common(1)[0][0] if models else ""

    # ------------------------------------------------------------ the question

    def profile(self, name: str) -> Profile:
        rows = [row for each in self.facts.values() for row in each.profiles if row[0] == name]
        if not rows:
            names = ", ".join(sorted({str(row[0]) for each in self.facts.values() for row in each.profiles}))
            raise NotFoundError(f"No profile {name!r}. There are: {names}.")
        newest = max(rows, key=lambda row: int(str(row[1])))
        return Profile(
            int(str(newest[2])), name, int(str(newest[1])), json.loads(str(newest[3])), float(str(newest[4]))
        )

    def named(self, text: str, home: int | None) -> Named | None:
        found = meant.named_among(self.projects.places, text, home)
        if found is not None or home is None:
            return found
        return meant.named_by_part(self.projects.places, text, home, lambda word: self.having([word])(word))

    def pointed_to(self, home: int | None, terms: Sequence[str], fewest: int) -> frozenset[int]:
        if home is None or len(terms) < fewest:
            return frozenset()
        memories, sessions = self.by_project("memories_of"), self.by_project("sessions_of")
        entries = sum(each.documents["entry_fts"] for each in self.facts.values())
        having = self.having(terms[: meant.MOST_TERMS])
        return meant.pointed_among(home, terms, fewest, meant.shared_out(memories, sessions, entries), having)

    def sisters(self, home: int) -> frozenset[int]:
        return frozenset()  # told of at prompts alone, which one file answers

    def having(self, terms: Sequence[str]) -> Callable[[str], Mapping[int | None, int]]:
        """How many texts of each project have a word, of words that all shards are asked for at once."""
        keys: dict[str, Key] = {term: ("projects", term) for term in terms}
        found = self.counted.of(self.facts, keys.values())

        def of(term: str) -> Mapping[int | None, int]:
            counts: Counter[int | None] = Counter()
            for sort in (0, 1):
                rows = [(shard, project) for shard, each in found[keys[term]].items() for project in each[sort]]
                if len(rows) >= meant.MOST_TEXTS:
                    return {}
                counts.update(self.project_of(shard, project) for shard, project in rows)
            return counts

        return of

    def project_of(self, shard: int, project: int | None) -> int | None:
        """The fleet's number of a shard's project."""
        return None if project is None else self.projects.of_shard[shard][project]

    def by_project(self, name: str) -> dict[int | None, int]:
        """What shards have of each project, added up."""
        counts: Counter[int | None] = Counter()
        for shard, facts in self.facts.items():
            for project, count in getattr(facts, name).items():
                counts[self.project_of(shard, project)] += count
        return dict(counts)

    # ------------------------------------------------------------------ counts

    def documents(self, table: str) -> int:
        return sum(each.documents[table] for each in self.facts.values())

    def counts(self, table: str, terms: Iterable[str]) -> dict[str, int]:
        asked = list(terms)
        pairs_table = grams.GRAM_TEXTS[table].table
        has_pairs = self.documents(pairs_table) > 0
        words = self.sums([("words", table, term) for term in asked if not is_gram(term)])
        pairs = self.sums([("words", pairs_table, term) for term in asked if has_pairs and grams.may_have(term)])
        return {
            term: words.get(("words", table, term), 0) + pairs.get(("words", pairs_table, term), 0) for term in asked
        }

    def is_young(self) -> bool:
        return self.documents("memory_fts") + self.documents("entry_fts") <= YOUNG

    def keys_of(self, terms: Sequence[str], literals: Sequence[str], text: str) -> list[Key]:
        """What is counted of all texts for a question of these terms."""
        words: list[Key] = [("words", table, term) for table in ALL_TEXTS for term in terms if not is_gram(term)]
        pairs: list[Key] = [
            ("words", pairs_table, term)
            for pairs_table in PAIR_TABLES.values()
            for term in terms
            if self.documents(pairs_table) and grams.may_have(term)
        ]
        found: list[Key] = [("literal", table, literal) for table in ALL_TEXTS for literal in literals]
        met: list[Key] = [("condition", term) for term in terms] if self.has_conditions() else []
        entities: list[Key] = [("entities", name) for name in names_in(text)]
        return [*words, *pairs, *found, *met, *entities]

    def has_conditions(self) -> bool:
        """Whether any memory has a condition."""
        return any(each.has_conditions for each in self.facts.values())

    def look_ahead(self, question: Question) -> None:
        """Counts what reading a question will ask for, in one round instead of several."""
        text = spaced(question.query)
        terms, literals = query_terms(text), literals_in(text)
        variants = [*split_words(text, terms), *(joined := joined_words(text, terms))]
        spelled = [word for word in terms if len(word) >= SHORTEST_CORRECTED] if question.effort.is_full else []
        known: list[Key] = [
            ("known", table, word) for table in FULL_TEXTS[question.scope] for word in (*joined, *spelled)
        ]
        told: list[Key] = [("projects", term) for term in terms[: meant.MOST_TERMS] if question.project_id is not None]
        keys = [*self.keys_of((*terms, *variants), literals, question.query), *known, *told]
        newest = self.newest_keys(silent_words(question.query))
        if len(self.counted.known) > MOST_KNOWN:
            self.counted.known.clear()
        self.counted.fetch({shard: [*keys, *newest[shard]] for shard in self.facts})

    def numbers(self, query: Query, asked: Asked | None) -> Numbers:
        """All counts that shards need for a question, in one round."""
        terms, tables = query.words.asked, ALL_TEXTS
        keys = self.keys_of(terms, query.literals, query.question.query)
        by_sort: dict[str, list[Key]] = {}
        for key in keys:
            by_sort.setdefault("pairs" if key[1] in PAIR_TABLES.values() else str(key[0]), []).append(key)
        newest = self.newest_keys(silent_words(query.question.query))
        self.counted.fetch({shard: [*keys, *newest[shard]] for shard in self.facts})
        found = self.counted.of(self.facts, keys)
        total = {key: sum(each.values()) for key, each in found.items() if key[0] != "entities"}
        named: Counter[tuple[str, str]] = Counter()
        for key in by_sort.get("entities", ()):
            for rows in found[key].values():
                named.update({(kind, name): count for kind, name, count in rows})
        return Numbers(
            sizes={table: self.size(table) for table in (*tables, *PAIR_TABLES.values())}
            | {"condition": self.size("memory_fts")},
            documents={table: self.documents(table) for table in (*tables, *PAIR_TABLES.values())},
            words={(str(key[1]), str(key[2])): total[key] for key in by_sort.get("words", ())},
            pairs={
                (table, term): total.get(("words", PAIR_TABLES[table], term), 0) for table in tables for term in terms
            },
            literals={(str(key[1]), str(key[2])): total[key] for key in by_sort.get("literal", ())},
            newest=self.newest(newest),
            conditions={str(key[1]): total[key] for key in by_sort.get("condition", ())},
            entities=dict(named),
            active_memories=sum(each.active_memories for each in self.facts.values()),
            has_conditions=self.has_conditions(),
            asked=asked,
            model=self.model if asked else "",
        )  # fmt: skip

    def size(self, table: str) -> Size:
        """How large a full text is in all shards."""
        return sum((each.sizes[table] for each in self.facts.values()), Size())

    def newest_keys(self, words: Sequence[str]) -> dict[int, list[Key]]:
        """What to ask each shard of the newest texts of all: those of the last shard are the newest."""
        keys: dict[int, list[Key]] = {}
        left = dict.fromkeys(ALL_TEXTS, grams.NEWEST_ASKED)
        for shard, facts in reversed(self.facts.items()):
            most = {table: min(left[table], facts.documents[table]) for table in ALL_TEXTS}
            left = {table: left[table] - most[table] for table in ALL_TEXTS}
            keys[shard] = [("newest", table, word, most[table]) for table in ALL_TEXTS for word in ("", *words)]
        return keys

    def newest(self, keys: Mapping[int, Sequence[Key]]) -> dict[str, tuple[int, dict[str, int]]]:
        """How many of the newest texts of each full text there are, and how many have each word."""
        texts: Counter[str] = Counter()
        having: dict[str, Counter[str]] = {table: Counter() for table in ALL_TEXTS}
        for shard, each in keys.items():
            for key in each:
                table, word, most = str(key[1]), str(key[2]), int(str(key[3]))
                if word:
                    having[table][word] += self.counted.known[shard, key]
                else:
                    texts[table] += most
        return {table: (texts[table], dict(having[table])) for table in ALL_TEXTS}

    def model_for(self, query: str) -> str:
        """The embedding model that can read a question, or nothing."""
        is_foreign = self.model in ENGLISH_MODELS and mostly_another_script(query)
        return "" if is_foreign else self.model

    def asked(self, model: str, query: str) -> Asked | None:
        """The question as a model reads it, for all shards at once. Raises: ModelError."""
        return asked_of(model, query[:MAX_CHARS]) if model else None
