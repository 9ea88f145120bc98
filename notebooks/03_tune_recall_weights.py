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
# # Which weights find what was asked for?
#
# Every labelled question is asked once, with all signals of every hit. Weights are fitted on one half of the
# questions and reported on the other, which they never saw; the winner is saved as the next version of `tuned`.

# %% tags=["parameters"]
database = None  # path of a memory-db file; None: the sample history, made when it is first needed
query_set = "sample"  # questions with known answers
split_by = "hash"  # or "project": fit on some projects, report on the others
metric = "ndcg@10"  # what before and after are compared by
profile_name = "tuned"  # what the fitted weights are saved as

# %%
from dataclasses import asdict

import altair as alt
import pandas as pd
from prepare import answers_of, chat_figures, intervals, with_questions

from memory_db.evaluation import abstention, tuning
from memory_db.evaluation import metrics as evaluate
from memory_db.index import semantic
from memory_db.notebook import bars, query, recall
from memory_db.notebook.sliders import Sliders
from memory_db.notebook.theme import GOOD, OFF, palette
from memory_db.recall import profiles

db, query_set, now = with_questions(database, query_set, split_by=split_by)
index = semantic.open_semantic(db)
before = profiles.load_profile(db, "default")

# %% [markdown]
# ## The questions
#
# The hook loads no model, so it is measured on what is found and scored without one. A question is negative where
# nothing in the file answers it.

# %%
labelled = evaluate.collect(db, query_set, semantic=index)
without_model = evaluate.collect(db, query_set)
fit_part, test_part = tuning.split(labelled, by=split_by)
hook_part = tuning.split(without_model, by=split_by)[1]
parts = {"fitted on": fit_part, "reported on": test_part}
pd.DataFrame(
    [{"part": part, "style": each.style} for part, questions in parts.items() for each in questions]
).pivot_table(index="style", columns="part", aggfunc="size", fill_value=0, margins=True)

# %% [markdown]
# ## The profiles as they are
#
# On the questions held out, the mean of each metric; the chart has the 95 % interval of one of them.

# %%
weights = {row["name"]: row["weights"] for row in profiles.list_profiles(db) if row["name"] != profile_name}
weights["fitted"] = tuning.fit(fit_part)
asked = {name: hook_part if name == "hook" else test_part for name in weights}
measured = pd.DataFrame(
    {"profile": name, "metric": each, **asdict(value)}
    for name in weights
    for each, value in evaluate.evaluate(asked[name], weights[name]).items()
)
measured.pivot_table(index="profile", columns="metric", values="value").sort_values(metric, ascending=False).round(3)

# %%
rows = measured[measured["metric"] == metric].sort_values("value", ascending=False)
chosen = alt.Chart(rows, title=f"{metric} on held-out questions", width=480).encode(
    y=alt.Y("profile", sort=list(rows["profile"]), title="profile")
)
chosen.mark_rule(strokeWidth=2).encode(
    x=alt.X("low", title=f"{metric}, 0 to 1, 95 % interval"), x2="high"
) + chosen.mark_point(filled=True, size=70).encode(x="value", tooltip=["profile", "value", "low", "high", "queries"])

# %% [markdown]
# ## The weights that were fitted
#
# Beside those of the default. A signal without a bar did not earn a weight on these questions. Where nothing was
# cited or locked yet, as in the sample, `usage` and `lock` cannot earn one.

# %%
drawn = pd.DataFrame(
    {"profile": name, "signal": signal, "weight": weight}
    for name in ("default", "fitted")
    for signal, weight in weights[name].items()
)
shades = alt.Scale(domain=["default", "fitted"], range=[palette()[OFF], palette()[GOOD]])
alt.Chart(drawn, title="Weights, which sum to 1", width=380).mark_bar().encode(
    x=alt.X("weight", title="weight, as a share of all"),
    y=alt.Y("signal", sort="-x", title="signal"),
    yOffset="profile",
    color=alt.Color("profile", scale=shades),
    tooltip=["profile", "signal", alt.Tooltip("weight", format=".3f")],
)

# %% [markdown]
# ## Fitted against default, question by question
#
# Both answer the same held-out questions, so the differences have their own interval: where it excludes 0, the change
# is more than luck. For `must_not@5` lower is better. The shipped default was itself searched for with all of the
# sample's questions in view, the held-out ones too: on the sample it starts with an advantage.

# %%
difference = evaluate.compare(test_part, weights["fitted"], weights["default"])
differences = pd.DataFrame({name: asdict(value) for name, value in difference.items()}).T.dropna()
differences.round(3)

# %%
lines = alt.Chart(differences.rename_axis("metric").reset_index(), title="Fitted minus default", width=480).encode(
    y=alt.Y("metric", sort=list(differences.index), title="metric")
)
alt.layer(
    alt.Chart(pd.DataFrame({"zero": [0]})).mark_rule(strokeDash=[4, 3]).encode(x="zero:Q"),
    lines.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title="difference, 95 % interval"), x2="high:Q"),
    lines.mark_point(filled=True, size=70).encode(x="value:Q", tooltip=["metric", "value", "low", "high"]),
)

# %% [markdown]
# ## By how a question is put

# %%
by_style = pd.DataFrame(
    {
        "style": style,
        "profile": name,
        **asdict(evaluate.evaluate([each for each in test_part if each.style == style], weights[name])[metric]),
    }
    for style in sorted({each.style for each in test_part if not each.is_negative})
    for name in ("keyword_only", "default", "fitted")
)
by_style.pivot_table(index=["style", "queries"], columns="profile", values="value").round(3)

# %% [markdown]
# ## When to show nothing
#
# At each threshold, for which share of the questions something would be shown: it should be all that have an answer
# and none of the negative ones.

# %%
curve = pd.DataFrame(map(asdict, abstention.abstention_curve(labelled, weights["fitted"])))
alt.Chart(curve, title="Questions for which something is shown", width=480).transform_fold(
    ["answerable", "negative"], as_=["questions", "share"]
).mark_line(interpolate="step").encode(
    x=alt.X("threshold", title="least score that is shown, 0 to 1"),
    y=alt.Y("share:Q", title="share of the questions", axis=alt.Axis(format="%")),
    color="questions:N",
)

# %%
fits = tuning.fit_threshold(fit_part, weights["fitted"])
print(
    f"At a least score of {fits.threshold:.3f} something is shown for {fits.answerable:.0%} of the questions with an"
    f" answer, and for {fits.negative:.0%} of those without one."
)

# %% [markdown]
# ## What fitting is worth on long chats
#
# LoCoMo's questions, with weights that were fitted on the other conversations (`fitted`), as `memory-db evaluate --by
# conversation` measured it last in this file, else as [the bench](../docs/benchmarks.md) keeps it.

# %%
chats = chat_figures(db)
shown = ["default", "fitted", "hook", "keyword_only", "cosine"]
chats = chats[chats["profile"].isin(shown)]
intervals(chats, shown) if len(chats) else print("Nothing was measured on chats yet.")

# %% [markdown]
# ## Turn the weights yourself
#
# The question that gained most of those whose answer is found at all, asked by the default. In JupyterLab the sliders
# rank its hits anew, and *Save profile* keeps where they stand as a profile of yours; what answers it is marked.

# %%
answerable = [each for each in test_part if not each.is_negative]
gain = (
    evaluate.measure(answerable, weights["fitted"])[metric] - evaluate.measure(answerable, weights["default"])[metric]
)
reach = [any(one & each.wanted for one in each.reaches) for each in answerable]
gained_most = max(zip(reach, gain, range(len(answerable)), strict=True))[2]
question = answerable[gained_most]
answers = answers_of(db, question.wanted)
paths = query("select id, canonical_path from projects", db=db).set_index("id")["canonical_path"]
found = recall(question.query, project=paths.get(question.project_id), everything=True, now=now, db=db)
at = [place for place, uid in enumerate(found.nlargest(50, "score")["uid"], start=1) if uid in answers]
print(f"{question.query}\nBy the default its answers stand at places {at or 'beyond 50'}.")

# %%
bars(found)

# %%
Sliders(found, answers=answers, db=db)

# %% [markdown]
# ## Save, and the answer
#
# The fitted weights become the next version of the profile, with what they were fitted on; where luck may explain the
# difference, more judged questions tell. Nothing uses it until the setting `default_profile` or a question names it.

# %%
version = profiles.save_profile(
    db,
    profile_name,
    weights["fitted"],
    description="Fitted to labelled questions by notebook 03",
    fitted_on=tuning.fitted_on(query_set, fit_part, test_part, by=split_by),
    now=now,
)
old, new, change = (
    evaluate.evaluate(test_part, before.weights)[metric],
    evaluate.evaluate(test_part, weights["fitted"])[metric],
    difference[metric],
)
verdict = "more than luck" if change.low > 0 or change.high < 0 else "which may be luck"
on_chats = chats[chats["metric"] == "recall@10"].set_index("profile")["mean"].round(3)
if {"default", "fitted"} <= set(on_chats.index):
    print(f"On long chats recall@10 is {on_chats['default']:.3f} by default and {on_chats['fitted']:.3f} fitted.")
print(
    f"On {new.queries} held-out questions of {query_set} with an answer, {metric} goes from {old.value:.3f} (default)"
    f" to {new.value:.3f} ({profile_name}@{version}): {change.value:+.3f}, 95 % interval {change.low:+.3f} to"
    f" {change.high:+.3f}, {verdict}."
)
