"""The tables of docs/benchmarks.md on speed, growth, crowds and kills.

In: nothing. Out: `SPEED`, in the order of the page. Invariant: no number stands in a text here.
"""

from __future__ import annotations

from bench.section import Section

SPEED = (
    Section(
        "hook_speed",
        "The hook as a cold process",
        "A whole process from start to end, its modules packed as a first session leaves them, against the same"
        " interpreter that only loads sqlite3, in turns.",
        (
            "On 20,000 memories it takes {ratio/20000 memories:.1f} times as long as that interpreter alone, where"
            " 200,000 entries are searched too {ratio/200000 entries too, both are asked:.1f} times.",
            "{in_time/20000 memories:.0%} of these hooks end within the deadline that they have on this machine.",
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
        " the same file. A hook goes on beyond its deadline where others have the processor.",
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
        " them that took longer than its deadline by the clock. `load` is how many processes waited for a processor;"
        " the machine had other work too.",
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
        "warm_recall",
        "Warm recall with the model",
        "One process asks the same questions about chats by a plain fusion of FTS5 and MiniLM, which adds up two"
        " rankings, and by recalls, in turns; each embeds the question itself.",
        (
            "On {entries:,} entries a recall with every signal takes {recall/ratio:.1f} times as long as the fusion,"
            " without the model {recall without the model/ratio:.1f} times, as the hook asks"
            " {recall as by a hook/ratio:.1f} times.",
        ),
        data="always",
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
)
