"""The tables of docs/benchmarks.md: which measurement each shows, what it means, and sentences with places for figures.

In: nothing. Out: `SECTIONS`, in the order of the page. Invariant: no number stands in a text here.
"""

from __future__ import annotations

from bench.section import Section

SECTIONS = (
    Section(
        "remembering",
        "What is remembered of whole sessions",
        "[Labelled sessions](../bench/data/sessions/README.md) by writers who had not seen the code: what in them is"
        " worth knowing (`must`), what is not (`must not`), and what a later session takes back (`changes`). Measured"
        " are the rules alone, and with a scripted model that is asked after them: a perfect one that proposes all that"
        " is worth knowing of what it is shown, and a sloppy one that proposes the rest as well. A memory counts as"
        " readers labelled it; one without a label counts as not useful. `seen` sessions may be looked at when"
        " something is changed, `unseen` ones are for measuring alone.",
        (
            "Of {rules/all/must} things worth knowing the rules keep {rules/all/share in full:.0%} in full and"
            " {rules/all/share in full or part:.0%} at least in part; {rules/all/useful and readable alone:.0%} of"
            " their {rules/all/memories} memories are useful and can be read alone,"
            " {rules/all/without a label} have no label. They store {rules/all/must not, stored} of"
            " {rules/all/must not} things that nobody should, and notice"
            " {rules/all/share of changes noticed:.0%} of {rules/all/changes} changes.",
            "With the perfect model {perfect model/all/share in full:.0%} are kept in full and"
            " {perfect model/all/share of changes noticed:.0%} of the changes noticed; with the sloppy one"
            " {sloppy model/all/share of must not stored:.0%} of what nobody should keep is stored.",
            "Of {ordinary requests/prompts} ordinary requests {ordinary requests/memories} become memories.",
        ),
    ),
    Section(
        "brief_quality",
        "What agents read",
        "[Three histories and 300 prompts](../bench/data/brief_quality/README.md), by writers who had not seen the"
        " code; every line of every brief is labelled by a reader. `cold` is the prompt's hook as a process of its own,"
        " `warm` where a reader with the model answers it; both as they ship. Lines without a label count as noise. The"
        " second half of the prompts is for measuring alone.",
        (
            "Warm, of {warm/shares/all/lines} lines {warm/shares/all/useful:.0%} are useful and"
            " {warm/shares/all/noise:.0%} noise; {warm/shares/all/answerable with a useful line:.0%} of the prompts"
            " that something answers get a useful line, and"
            " {warm/shares/all/silent where nothing answers:.0%} of those that nothing answers "
            "get none. Cold it is {cold/shares/all/useful:.0%}, {cold/shares/all/noise:.0%},"
            " {cold/shares/all/answerable with a useful line:.0%} and"
            " {cold/shares/all/silent where nothing answers:.0%}.",
        ),
    ),
    Section(
        "locomo",
        "Evidence in long chats",
        "LoCoMo (snap-research/locomo, which you bring): chats of two people over months, each turn an entry, and"
        " questions whose evidence is known. `default` is the row of weights that ships, fitted with chats of this sort"
        " in view; `fitted` ranks each conversation by weights from the others alone: what new chats would get.",
        data="always",
    ),
    Section(
        "developer",
        "Notes for a developer's questions",
        "[The developer set](../bench/data/developer/README.md): notes of six projects that contradict each other, and"
        " questions by a writer who did not see the notes' words.",
    ),
    Section(
        "sample",
        "The sample's own questions",
        "The labelled questions of the sample history, asked of its entries and of the memories that were made from"
        " them. The shipped weights were fitted with these questions in view, `fitted` never saw those it ranks.",
    ),
    Section(
        "other_project",
        "Asked from another project",
        "Questions of the developer set and the sample that one project answers: asked where they belong, from the next"
        ' project by name, and from there with the name put before them ("in tidepool, ..."). `answer shown` is the'
        " share whose answer stands in what a hook shows, of whose lines the last column counts those of neither the"
        " project that is asked from nor the user.",
        (
            "Asked from another project that it does not name, recall@5 on the developer set is"
            " {developer/from another project/default/recall@5:.0%} by `default`,"
            " {developer/from another project/hook/recall@5:.0%} by `hook` and"
            " {developer/from another project/keyword_only/recall@5:.0%} by plain full text.",
        ),
    ),
    Section(
        "beam",
        "Questions about very long chats with an assistant",
        "BEAM (mohammadtavakoli78/BEAM, which you bring): chats of hundreds of turns, many about programming, and"
        " questions of ten sorts whose turns are known; those of the sort `abstention` ask for what was never said."
        " `fitted` ranks each chat by weights from the others alone.",
        data="always",
    ),
    Section(
        "sde_bench",
        "The decision behind a bug",
        "SDE-bench (vectorize-io/sde-bench, which you bring): bug reports whose right fix hangs on a decision in an"
        " earlier chat, among chats about other matters. The turn that holds it is found by the words of the task's"
        " policy ([how](evaluating.md#sde-bench)). So few tasks tell large differences alone.",
        data="always",
    ),
    Section(
        "precisionmembench",
        "What must come back, and nothing else",
        "PrecisionMemBench (tenurehq/precisionmembench, which you bring): beliefs about a developer who writes a novel,"
        " and questions with those that must come back. So few cases tell large differences alone.",
        data="always",
    ),
    Section(
        "association",
        "What earlier prompts came to",
        "[24 histories](../bench/data/association/README.md) in which a prompt implies a rule that shares no word or"
        " meaning with it, but the files or commands that an earlier prompt like it came to: how often the rule is"
        " among the first memories, without the signal `association` and as shipped, by the wording of the prompt.",
        (
            "Of {memories} memories of four projects the rule is among the first five for"
            " {default/shipped/all/recall@5:.0%} of the prompts by the full formula"
            " ({default/without/all/recall@5:.0%} without the signal), for"
            " {hook/shipped/all/recall@5:.0%} in a hook ({hook/without/all/recall@5:.0%}).",
        ),
    ),
    Section(
        "languages",
        "Ten languages",
        "[Notes and prompts in ten languages](../bench/data/languages/README.md), all in one file: how often a prompt"
        " has its note among the first hits, by the full formula, and of what a hook shows. With six notes a language"
        " the first hit says more than the first five; the second half of the prompts is for measuring alone.",
        (
            "Of the second half of the prompts a hook shows the note first for"
            " {recall@1, second half/Chinese, Japanese, Korean/hook:.0%} in Chinese, Japanese and Korean, and for"
            " {recall@1, second half/the others/hook:.0%} in the others.",
            "What the first prompt of a session is shown, cold and only with enough evidence of its own: of"
            " {shown/de/prompts} German prompts {shown/de/right} are shown their note, with {shown/de/other notes}"
            " other notes in all; French {shown/fr/right} with {shown/fr/other notes}, Spanish {shown/es/right} with"
            " {shown/es/other notes}, English {shown/en/right} with {shown/en/other notes}.",
        ),
    ),
    Section(
        "hook_quality",
        "What the hook finds",
        "The hook asks with the standard library alone: words and static vectors, no model. Against the full formula of"
        " `default`, and against what memories alone would give.",
        (
            "On the developer set the hook's recall@10 is {developer/hook/recall@10/mean:.1%} where"
            " the full formula has {developer/full/recall@10/mean:.1%}, on the sample"
            " {sample/hook/recall@10/mean:.1%} and {sample/full/recall@10/mean:.1%}.",
        ),
        data="if there",
    ),
    Section(
        "hook_speed",
        "The hook as a cold process",
        "A whole process from start to end, against the same interpreter that only loads sqlite3, in turns.",
        (
            "On 20,000 memories it takes {ratio/20000 memories:.1f} times as long as that interpreter alone, where"
            " 200,000 entries are searched too {ratio/200000 entries:.1f} times.",
        ),
    ),
    Section(
        "hook_warm",
        "The hook where a reader answers",
        "Whole processes of the prompt's hook on the sample history, in turns: with an MCP reader that has the model"
        " and answers for it, and alone. `server mb` is the resident memory of a reader that only waits,"
        " `warm server mb` that of the one that answers hooks.",
        (
            "Cold it takes {ratio/cold:.1f} times as long as an interpreter that only loads sqlite3, warm"
            " {ratio/warm:.1f} times; {answered_warm:.0%} of the prompts were answered warm in time. The one warm"
            " reader holds {warm_server_mb:.0f} MB, the others {server_mb:.0f} MB each.",
        ),
    ),
    Section(
        "hooks_at_once",
        "Eight hooks at once",
        "Eight prompts at the same moment, again and again: alone, and while an import and two extractions write into"
        " the same file. A hook goes on beyond its 300 ms where others have the processor.",
        (
            "Alone {alone/answered_share:.0%} of them answer, after {alone/duration_ms/p50:.0f} ms in the middle; while"
            " others write {while others write/answered_share:.0%}, after {while others write/duration_ms/p50:.0f} ms.",
        ),
    ),
    Section(
        "soak",
        "Everybody at once",
        "Two sessions write transcripts while they are read; hooks come eight at once and, in turns, twice as many as"
        " there are processors; an importer, a worker (and those that hooks start), a server with two readers,"
        " `recall`, `add` with `memory forget`, and `file backup` work on the same file, all as processes of the real"
        " commands. `answered` is a hook that did its work, whether or not it had something to show; `late` is one of"
        " them that took longer than 300 ms by the clock. `load` is how many processes waited for a processor; the"
        " machine had other work too.",
        (
            "In {minutes:g} minutes {lost/lines written:,} lines were written, of which {lost/lines not in the file}"
            " are not in the file. {wrong/commands locked out} commands were locked out, and {wrong/tracebacks}"
            " tracebacks were printed.",
        ),
        sizes=("minutes", "seed"),
    ),
    Section(
        "kills",
        "Killed at any moment",
        "SIGKILL in every command that writes, forked from a process that has loaded everything, so that kills hit the"
        " work and not the loading; hooks are cold processes. A third by the clock, a third before a file is opened"
        " for writing, made, renamed or removed, a third before a statement of SQL. After each the file is compared"
        " with what was there before, then the same command is given again, and its end compared with that of runs"
        " that nobody disturbed. What `run --only index` makes at its next run is told apart, and so are unfinished"
        " files under names of their own.",
        (
            "Of {kills:,} kills in {commands} commands {faults/rows lost} lost a row and"
            " {faults/half-made files under a final name} left a half-made file under a final name.",
        ),
        sizes=("kills", "seed"),
    ),
    Section(
        "fleet_kills",
        "Killed while files become one, or many",
        "The same for `file merge` and `file fleet import` alone, each as often; and SIGKILL of one of two Dask workers"
        " in the middle of an import into three shards, by the clock. That import has to end well, with the rows of one"
        " that nobody disturbed in every shard, and once more must add none.",
        (
            "Of {commands/kills:,} kills of commands {commands/faults/rows lost} lost a row and"
            " {commands/faults/same command again, other rows} left other rows after the same command again; of"
            " {workers/kills} kills of workers {workers/faults/rows lost} lost a row and"
            " {workers/faults/rows twice or other rows} left one twice.",
        ),
        sizes=("kills", "seed"),
    ),
    Section(
        "fuzz",
        "Inputs by chance",
        "Damaged and odd inputs for every way in: transcripts of Claude Code, exports of claude.ai (JSON and ZIP),"
        " logs of llm and Markdown as whole files; payloads of hooks; calls over MCP; command lines; requests over"
        " HTTP. Imports, most hooks (39 of 40), MCP calls and command lines (99 of 100) run in one process, by the"
        " functions behind the commands; the rest in processes of their own, and HTTP over a socket to a running"
        " server. A fault is a traceback, an import that stops, an error of the server, an exit code other than 0, 1"
        " and 2, and refused input that changed a row. Errors of Datasette's own pages are counted apart.",
        ("Of {inputs:,} inputs {tracebacks} gave a traceback and {imports_stopped} stopped an import.",),
        sizes=("inputs", "seed"),
    ),
    Section(
        "mcp_start",
        "The MCP reader until its first answers",
        "From the start of the process, as an agent starts it, against an interpreter that loads nothing, in turns; the"
        " second recall from its question. The parts are of another process that loads them one by one.",
        (
            "It takes {ratio/memory-db mcp, initialize:.1f} times as long as that interpreter until it answers at all,"
            " {ratio/memory-db mcp, first recall:.1f} times until its first recall; the next one takes"
            " {median_ms/memory-db mcp, second recall:.0f} ms.",
            "{goal/initialize} and {goal/first recall} times are the goals. The first recall, asked at once, does not"
            " wait for the full model, whose {parts_ms/the embedding model:.0f} ms a thread spends as soon as the agent"
            " is quiet; what is left is mostly the loading of modules ({parts_ms/what a recall loads:.0f} ms).",
        ),
    ),
    Section(
        "recall_speed",
        "Warm recall",
        "Recall against the bare FTS5 query for the same words, in turns; the log written or not.",
        (
            "On {entries/count:,} entries a recall takes {entries/ratio:.1f} times as long as the bare query, with its"
            " log {entries/ratio_logged:.1f} times; on {memories/count:,} memories {memories/ratio:.1f} times.",
        ),
    ),
    Section(
        "pages",
        "Pages",
        "Every page over HTTP by one signed-in client, in turns with Datasette's own page of the table `projects` (20"
        " rows, no facets), on a file in which every table has its share. `first_ms` is the first visit after a start.",
        (
            "On {memories:,} memories, {entries:,} entries and {recalls:,} recalls the table's page takes"
            " {table_ms:.0f} ms, home {pages/home/ratio:.1f} times as long, the explorer with a question"
            " {pages/explorer/ratio:.1f} times, a memory's page {pages/memory/ratio:.1f} times.",
        ),
    ),
    Section(
        "growth",
        "Growth",
        "One file that grows, with words as common as in prose; times are of the processor, asked in turns.",
        (
            "On {sizes/last/entries:,} entries a recall takes {sizes/last/ratio:.1f} times as long as the bare query,"
            " and meaning by the full model adds {sizes/last/semantic_more_ms:.1f} ms; the file has"
            " {sizes/last/file_mb:,.0f} MB.",
        ),
        picture="growth.svg",
    ),
    Section(
        "fleet_exact",
        "Eight files beside one with their rows",
        "The sample history, the developer set and a conversation of LoCoMo, each cut into files and merged into one;"
        " every question is asked of both, of LoCoMo and the developer set without the full model. Each hit of the one"
        " has to be one of the others, in the same order and with the same score, to 1e-9.",
        (
            "Of {sample/questions} questions of the sample {sample/exact_scores} have the same hits with the same"
            " scores from {shards} files as from one, and {sample/same_first_20} the same first twenty.",
            "Of {developer/questions} of the developer set it is {developer/exact_scores} and"
            " {developer/same_first_20}.",
            "Of {locomo/questions} of LoCoMo it is {locomo/exact_scores} and {locomo/same_first_20}.",
        ),
        data="if there",
    ),
    Section(
        "fleet",
        "Many files, one question",
        "Shards written as every import writes them, no two rows alike, with word vectors and without the full model;"
        " questions of words that entries have, of entries alone, asked in turns of the fleet with a Dask worker a core"
        " and with one, and of one file that has the same rows. Times are by the clock where no processor is named."
        " `again` is the same"
        " question a second time, whose words the workers remember; `kb` is what one question moves to all shards and"
        " back, as it is pickled. Import is the whole pipeline, the middle one of three turns. Beside them the bare"
        " full text of SQLite, PostgreSQL"
        " and DuckDB over the rows of the one file, whose rankings differ.",
        (
            "{shards/last/shards} shards of {entries_a_shard:,} entries answer in {shards/last/two_workers_p50_ms:.0f}"
            " ms, {shards/0/shards} shard in {shards/0/two_workers_p50_ms:.0f}, the file with all"
            " {shards/last/entries:,} in {shards/last/one_file_p50_ms:.0f}.",
            "{shards/3/shards} shards take {shards/3/two_workers_p50_ms:.0f} ms for {shards/3/entries:,} entries; the"
            " slow end (p95) of {shards/last/shards} is {shards/last/two_workers_p95_ms:.0f}.",
            "The slow end (p95) of {beside_one_shard/shards} shards is {beside_one_shard/p95_ms:.0f} ms, that of one"
            " {beside_one_shard/p95_ms_of_one_shard:.0f}, of the bare file with the rows of one"
            " {beside_one_shard/p95_ms_of_one_file:.0f}. Two cores ask {beside_one_shard/shards} shards in"
            " {beside_one_shard/turns} turns; to so many times one shard's it is"
            " {beside_one_shard/to_its_turns_of_a_shard:.2f}, to so many times the file's"
            " {beside_one_shard/to_its_turns_of_a_file:.2f}.",
            "Of {beside/entries:,} entries PostgreSQL finds the ten best in {beside/PostgreSQL/to_sqlite:.2g} times the"
            " time of SQLite.",
            "DuckDB takes {beside/DuckDB/to_sqlite:.2g} times the time of SQLite.",
            "Two workers import {import/times_as_fast:.2f} times as fast as one by the clock, with"
            " {import/work_of_two_to_one:.2f} times its work.",
            "In other turns it was {import/in_turns/0:.2f} and {import/in_turns/last:.2f} times.",
            "By the processor time of the busier one two import {import/times_as_fast_by_processor:.2f} times as fast.",
            "Processes that wanted the two processors when it began: {load_of_the_machine:.1f}.",
        ),
        sizes=("entries", "shards"),
    ),
    Section(
        "embedding",
        "Embedding and search by meaning",
        "How many texts a second become vectors, and how long a search in so many vectors takes.",
        (
            "The full model makes {full/texts_per_s:,.0f} vectors a second, the static one {static/texts_per_s:,.0f}.",
            "A question is embedded in {full_question_ms:.0f} ms and compared with {search/last/rows:,} vectors in"
            " {search/last/search_ms:.0f} ms.",
        ),
    ),
    Section(
        "quantization",
        "Embeddings as bytes and signs",
        "In memory an embedding is a byte and a bit a number; here against the float32 that the file holds, by cosine"
        " alone. Times are of the processor, on vectors by chance.",
        (
            "On the developer set recall@10 by cosine alone is {developer/recall@10_bytes:.1%} by bytes and"
            " {developer/recall@10_float32:.1%} by float32.",
            "{speed/rows:,} vectors take {speed/bytes_mb:.0f} MB in place of {speed/float32_mb:.0f}, their nearest"
            " {speed/bytes_ms:.1f} ms in place of {speed/float32_ms:.1f}.",
        ),
        data="always",
    ),
    Section(
        "extraction",
        "What the rules extract",
        "Single sentences that people marked as worth keeping or not, against what the rules propose: a test of cues;"
        " what becomes of whole sessions stands above.",
        (
            "Of the held-out sentences that are worth keeping the rules find {extraction_labels_heldout/recall:.0%},"
            " and {extraction_labels_heldout/precision:.0%} of what they propose is worth keeping.",
        ),
    ),
    Section(
        "cues",
        "What the rules keep in ten languages",
        "[Forty messages a language](../bench/data/cues/README.md), half of them worth keeping, by writers who had not"
        " seen the code. The tables of cues were written with the seen half in view; the unseen one is for measuring.",
        (
            "Of what is worth keeping in the unseen half the rules find {unseen half/all/recall:.0%}, and"
            " {unseen half/all/precision:.0%} of what they propose is worth keeping.",
        ),
    ),
    Section(
        "gate",
        "The gate",
        "Candidates of many sorts against a file that is full already; rates are of processor time.",
        (
            "Against {memories:,} memories {candidates_per_s:,} candidates a second are decided on and carried out,"
            " {candidates_per_s_without_vectors:,} without the making of their vectors.",
            "Static vectors, by which the gate looks for neighbours unless the setting says otherwise, are made at"
            " {static_vectors_per_s:,} a second, those of the full model at {full_vectors_per_s:,}.",
        ),
    ),
    Section(
        "import_speed",
        "Import",
        "The sample history, repeated with fresh ids: rates are of processor time, shares are of the whole import.",
        (
            "{redaction_share:.0%} of the time goes into redaction, {writing_share:.0%} into writing,"
            " {json_loads_share:.0%} into reading JSON.",
            "Five times as much history needs {peak_mb_many_files/ratio:.2f} times as much memory, as one file"
            " {peak_mb_one_file/ratio:.2f} times.",
        ),
    ),
    Section(
        "pipeline_speed",
        "The whole pipeline",
        "The sample history, repeated with fresh ids, through every stage without embeddings, in one process and with"
        " two helpers; rates are by the clock, and suffer from whatever else the machine does. Embedding is of the"
        " sample's texts, in batches of 32 and in batches of like length and few tokens, side by side.",
        (
            "Of {megabytes:.0f} MB the process that writes takes {with_helpers/processor_s/writer:.0f} s of its"
            " processor with helpers, who take {with_helpers/processor_s/helpers:.0f} s of the other one, and"
            " {alone/processor_s/writer:.0f} s without; the rows are the same.",
            "A text is embedded with {embedding/now_to_before/processor:.0%} of the work that it took before.",
            "By the clock these figures say little: on average {load_of_the_machine:.0f} processes wanted the two"
            " processors when it began.",
        ),
    ),
    Section(
        "blends",
        "Other blends",
        "Other ways to put the signals together, against the weighted sum.",
        data="if there",
    ),
    Section(
        "succession",
        "Outdated notes",
        "What is shown where a note was replaced by another: with the two linked, with the older one closed, and with"
        " nothing known of it. The hard questions are put in words of the outdated note that its successor lacks.",
        (
            "Of the hard questions {linked/default/hard/successor@5:.0%} have the successor among the first five where"
            " the notes are linked, {closed/default/hard/successor@5:.0%} where the older one is only closed, and"
            " {unknown/default/hard/successor@5:.0%} where nothing is known.",
        ),
    ),
    Section(
        "relations",
        "Duplicates, replacements, contradictions",
        "[Labelled pairs](../bench/data/pairs/README.md) of an older and a newer note, nearly half of which only look"
        " alike, against what the tests of `relations.py` say of them: by who wrote the pairs and by what similarity"
        " they were given. The README says who labelled what, and what was measured before the tests were improved.",
        (
            "Of the contradictions {later/static/contradicts/recall:.0%} are found where both notes share their words,"
            " {second/static/contradicts/recall:.0%} where another reader put them in own words; of the replacements"
            " {later/static/supersedes/recall:.0%} and {second/static/supersedes/recall:.0%}.",
        ),
    ),
)
"""Every table in the order of the page. Figures of a contest have tables of their own, all others are shown as they
are nested."""
