# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Which formula finds most: the default, plain full text, or that of another system?
#
# Each of the four systems that memory-db can stand in for is a row of weights, its documented formula as far as a sum
# goes. All of them answer the same labelled questions here, from the same file, each mean with its 95 % interval.

# %% tags=["parameters"]
database = None  # path of a memory-db file; None: the sample history, made when it is first needed
query_set = "sample"  # questions with known answers; `own` has what was judged by hand
chats = None  # path of LoCoMo's JSON file or of a folder with it; None: what was measured before
metric = "recall@10"  # what differences and styles are told by: recall@1, recall@5, recall@10 or mrr

# %%
import tempfile
from pathlib import Path

import altair as alt
import pandas as pd
from prepare import CHAT_METRICS, chat_figures, intervals, with_questions

from memory_db.evaluation import contest, outcomes
from memory_db.evaluation import metrics as evaluate
from memory_db.evaluation import runs as eval_runs
from memory_db.evaluation.datasets import read_dataset
from memory_db.index import semantic
from memory_db.recall import search as recall
from memory_db.store import settings
from memory_db.store.presets import PRESETS

pd.options.display.max_colwidth = None
db, query_set, now = with_questions(database, query_set)
index = semantic.open_semantic(db)

# %% [markdown]
# ## What is compared
#
# `default` is ours, `keyword_only` is plain full text. What a formula leaves out of its system cannot be said in
# weights: a preset is that system's idea of what counts, not the system.

# %%
names = ["default", "keyword_only", "memem", "memlayer", "claude_memory", "agentmemory"]
contenders = [contest.contender(name, recall.load_profile(db, name)) for name in names]
pd.DataFrame(
    [(name, PRESETS[name].description, PRESETS[name].leaves_out or "") for name in names],
    columns=["profile", "what it is", "what it leaves out"],
).set_index("profile")

# %%
options = contest.Options(baseline="default")
questions = eval_runs.asked_of_set(db, query_set, contenders, options, index, None)  # as Compare and `evaluate` ask
found = contest.contest(contenders, questions, options)
print(f"{found.queries} questions, {found.answerable} with an answer in the file and {found.negatives} without one.")

# %% [markdown]
# ## What each one finds
#
# The share of the answers among the first hits, and one by the place of the first answer (`mrr`). A dot is the mean,
# its line the 95 % interval over questions.

# %%
metrics = ["recall@5", "recall@10", "mrr"]
measured = pd.DataFrame(
    {"profile": name, "metric": each, **found.profiles[name][each]} for name in names for each in metrics
)
intervals(measured, names)

# %%
measured.pivot_table(index="profile", columns="metric", values="mean")[metrics].reindex(names).round(3)

# %% [markdown]
# And the share among the first so many hits, for each number: in JupyterLab the slider names one, and the bars are read
# there.

# %% tags=["picture"]
FIRST = 20
curve = []
for each in contenders:
    answers = [evaluate.outcome(one, each.ranking, FIRST) for one in questions.of(each) if not one.is_negative]
    for first in range(1, FIRST + 1):
        shares = [outcomes.recall_at(first)(answer) for answer in answers]
        curve.append((each.name, first, sum(shares) / len(shares)))
found_first = pd.DataFrame(curve, columns=["profile", "first hits", "share found"])
chosen = alt.param(name="chosen", value=5, bind=alt.binding_range(min=1, max=FIRST, step=1, name="first hits "))
curves = alt.Chart(found_first, width=330, height=220).encode(color=alt.Color("profile", sort=names))
at_chosen = curves.transform_filter("datum['first hits'] == chosen")
alt.hconcat(
    alt.layer(
        curves.mark_line().encode(
            x=alt.X("first hits:Q", title="first hits looked at"),
            y=alt.Y("share found:Q", title="share of the answers", scale=alt.Scale(domain=[0, 1])),
        ),
        at_chosen.mark_point(filled=True, size=60).encode(x="first hits:Q", y="share found:Q"),
    ),
    at_chosen.mark_bar().encode(
        x=alt.X("share found:Q", title="share of the answers", scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("profile", sort=names, title="profile"),
    ),
).add_params(chosen)

# %% [markdown]
# ## Question by question
#
# All answer the same questions, so their differences have intervals of their own: one that excludes 0 is more than
# luck. First against the default, then against plain full text. The shipped default was fitted with the sample's
# questions in view, the other formulas were not: on the sample it starts with an advantage.

# %%
against_words = contest.contest(contenders, questions, contest.Options(baseline="keyword_only"))
differences = pd.DataFrame(
    {"profile": name, "against": each.baseline, **each.profiles[name]["difference"][metric]}
    for each in (found, against_words)
    for name in names
    if name != each.baseline
)
bars = alt.Chart(differences, width=270).encode(y=alt.Y("profile", sort=names, title="profile"))
alt.layer(
    alt.Chart(differences).mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(0)),
    bars.mark_rule(strokeWidth=2).encode(x=alt.X("low", title=f"difference in {metric}, 95 % interval"), x2="high"),
    bars.mark_point(filled=True, size=80, opacity=1).encode(x="mean", tooltip=["profile", "mean", "low", "high"]),
).facet(column=alt.Column("against", title="against"))

# %%
differences.set_index(["against", "profile"]).round(3)

# %% [markdown]
# ## By how a question is put
#
# Where the formulas part: an identifier wants words, a paraphrase wants meaning. Few questions of a style give a wide
# interval, which the table has.

# %%
styles = pd.DataFrame(
    {"profile": name, "style": f"{style} ({group['queries']})", **group[metric]}
    for name in names
    for style, group in found.profiles[name]["by_style"].items()
    if group[metric]
)
alt.Chart(styles, title=f"{metric} by style of question", width=300).mark_rect().encode(
    x=alt.X("profile", sort=names, title="profile", axis=alt.Axis(labelAngle=-30)),
    y=alt.Y("style", title="style (questions)"),
    color=alt.Color("mean", title=metric, scale=alt.Scale(domain=[0, 1], scheme="blues")),
    tooltip=["profile", "style", "mean", "low", "high"],
)

# %%
styles["interval"] = [f"{row.mean:.2f} ({row.low:.2f} to {row.high:.2f})" for row in styles.itertuples()]
styles.pivot_table(index="style", columns="profile", values="interval", aggfunc="first")[names]

# %% [markdown]
# ## On long chats of strangers
#
# The same formulas on LoCoMo: very long conversations with questions, of which every turn is an entry. The file is not
# part of memory-db and is not fetched. Without it these are the figures of the newest `memory-db evaluate --format
# locomo` in this file, else those that [the bench](../docs/benchmarks.md) keeps, with its other baselines.

# %%
chat_table = chat_figures(db)
if chats:
    with tempfile.TemporaryDirectory() as folder:
        model = settings.get_text(db, "embedding_model")
        dataset, options = read_dataset(Path(chats), "locomo"), contest.Options(baseline="default")
        chat = eval_runs.of_dataset(dataset, contenders, Path(folder), options=options, model=model, now=now)
    rows = [{"profile": name, "metric": each, **chat.profiles[name][each]} for name in names for each in CHAT_METRICS]
    chat_table = pd.DataFrame(rows).assign(questions=chat.answerable, measured_on="now")
if chat_table.empty:
    print("Skipped: nothing was measured on chats. Set `chats` above to the path of LoCoMo's JSON file.")

# %%
by_recall = chat_table[chat_table["metric"] == "recall@10"].sort_values("mean", ascending=False)
chat_order = list(by_recall["profile"])
intervals(chat_table, chat_order) if chat_order else None

# %%
chat_table["interval"] = [f"{row.mean:.3f} ({row.low:.3f} to {row.high:.3f})" for row in chat_table.itertuples()]
chat_table.pivot_table(index="profile", columns="metric", values="interval", aggfunc="first").reindex(chat_order)

# %% [markdown]
# ## The answer

# %%
others = [name for name in names if name != "default"]
best = max(others, key=lambda name: found.profiles[name][metric]["mean"])
ours, theirs = found.profiles["default"][metric]["mean"], found.profiles[best][metric]["mean"]
change = found.profiles[best]["difference"][metric]
verdict = "more than luck" if change["low"] > 0 or change["high"] < 0 else "which may be luck"
print(
    f"On {found.answerable} questions of {query_set} with an answer, {metric} is {ours:.3f} by default and {theirs:.3f}"
    f" by {best}, the best of the others: {change['mean']:+.3f}, 95 % interval {change['low']:+.3f} to"
    f" {change['high']:+.3f}, {verdict}."
)
chat_means = dict(zip(by_recall["profile"], by_recall["mean"], strict=True))
if {"default", "keyword_only"} <= set(chat_means):
    print(
        f"On {by_recall['questions'].iloc[0]:,} about long chats: {chat_means['default']:.3f}, plain full text"
        f" {chat_means['keyword_only']:.3f}."
    )
