"""The tables of docs/benchmarks.md: which measurement each shows, what it means, and sentences with places for figures.

In: nothing. Out: `SECTIONS`, in the order of the page. Invariant: no number stands in a text here.
"""

from __future__ import annotations

from bench.section import Section
from bench.sections_speed import SPEED

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
            " {rules/all/share of changes noticed:.0%} of {rules/all/changes} changes. Of the unseen"
            " {rules/unseen/must} they keep {rules/unseen/share in full:.0%} in full and"
            " {rules/unseen/share in full or part:.0%} at least in part,"
            " {rules/unseen/useful and readable alone:.0%} of those memories are of use, and of"
            " {rules/unseen/changes} changes they notice {rules/unseen/share of changes noticed:.0%}.",
            "With the perfect model {perfect model/all/share in full:.0%} are kept in full and"
            " {perfect model/all/share of changes noticed:.0%} of the changes noticed; with the sloppy one"
            " {sloppy model/all/share of must not stored:.0%} of what nobody should keep is stored.",
            "The next session of each project begins with {rules/all/lines at the next start} lines in all, of which"
            " {rules/all/of them useful and readable:.0%} are of use ({rules/unseen/of them useful and readable:.0%} in"
            " the unseen half) and {rules/all/of them taken back since:.0%} were taken back; they tell"
            " {rules/all/must that holds, told there:.0%} of what holds.",
            "Of {ordinary requests/prompts} ordinary requests {ordinary requests/memories} become memories.",
        ),
    ),
    Section(
        "days",
        "What a following day is told",
        "[Days that follow](../bench/data/days/README.md) the sessions of twelve people: each of their prompts is typed"
        " into a new session, behind the block that it begins with and, to see what prompts bring by themselves,"
        " without it. Readers said which memories they want before which prompt. `unseen` days are for measuring"
        " alone.",
        (
            "Warm, of {warm/all/prompts that want something} prompts that want something"
            " {warm/all/told something they want:.0%} are told some of it and {warm/all/told all they want:.0%} all of"
            " it, at the start or by the prompt ({warm/unseen/told something they want:.0%} and"
            " {warm/unseen/told all they want:.0%} in the unseen half); by the prompt alone"
            " {warm/all/by the prompt alone, something:.0%} are told some. A start has"
            " {warm/all/lines of a start:.0f} lines, of which"
            " {warm/all/lines of a start that are ever wanted:.0%} are ever wanted; of"
            " {warm/all/lines at prompts} lines at prompts {warm/all/of them wanted:.0%} are, and"
            " {warm/all/of them noise:.0%} are noise. Of the prompts that want nothing"
            " {warm/all/silent where nothing is wanted:.0%} are told nothing.",
        ),
    ),
    Section(
        "prompt_briefs",
        "At every prompt, at the first, at none",
        "What the setting `prompt_briefs` costs and brings on [the same following days](../bench/data/days/README.md):"
        " all prompts of a person in a project are typed into one session, warm. With `tool` no prompt is told"
        " anything; what the files of tools bring is not part of the data.",
        (
            "At every prompt {every/tokens a prompt:.0f} tokens a prompt are told, in {every/lines} lines of which"
            " {every/of them wanted:.0%} are wanted; where the first prompt of a session alone is told memories,"
            " {first/tokens a prompt:.0f} tokens in {first/lines} lines, of which {first/of them wanted:.0%} are. Of"
            " the prompts that want something {every/wants something, told none of it so far:.0%},"
            " {first/wants something, told none of it so far:.0%} and, by the start alone,"
            " {tool/wants something, told none of it so far:.0%} were told none of it.",
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
        " policy ([how](evaluating.md#sde-bench)). `a prompt's brief` is what the product shows, with memories made of"
        " the chats: cold, as the hook's own process answers, and warm, where a reader has the model. So few tasks tell"
        " large differences alone.",
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
    *SPEED,
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
