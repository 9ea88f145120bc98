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
# # What would have changed last week, under other weights?
#
# Every brief of the last days is chosen once more from its logged hits, by the weights of another profile. Nothing is
# asked again, so nothing that was learnt afterwards counts. `memory-db evaluate --replay` and the page Compare say the
# same, to the digit.

# %% tags=["parameters"]
database = None  # path of a memory-db file; None: the sample history, made when it is first needed
profile_name = None  # whose weights; None: the newest profile of yours, else plain full text
changes = {}  # weights to change in it, such as {"recency": 0.2}
days = "7"  # or "30", "all", or a day to begin on such as "2026-10-01"

# %%
from dataclasses import asdict

import altair as alt
import pandas as pd
from prepare import moment_of, of_how_many, open_file

from memory_db.evaluation.replay import FIGURES, replay
from memory_db.notebook import profiles, query
from memory_db.notebook.theme import BAD, GOOD, OFF, palette
from memory_db.recall.profiles import Profile, changed_weights, load_profile, scaled_weights
from memory_db.store.periods import period
from memory_db.store.presets import PRESETS

db = open_file(database)

# %% [markdown]
# ## Under which weights?

# %%
own = [name for name in profiles(db)["profile"] if name not in PRESETS]
chosen = load_profile(db, profile_name or (own[-1] if own else "keyword_only"))
weights = scaled_weights(changed_weights(db, chosen.name, changes))
tried = Profile(chosen.id, f"{chosen.name} with changes" if changes else chosen.name, chosen.version, weights,
                chosen.threshold)  # fmt: skip
span = period(db, days, moment_of(database))
print(f"{tried.name}, over the days from {span.since:%Y-%m-%d} until before {span.until:%Y-%m-%d}.")

# %% [markdown]
# ## How much would have changed?
#
# Each figure with its 95 % interval, by resampling sessions where there are ten, else briefs. That ignored lines go is
# good, that lines go which were of use is not. `as_logged` is the check: how many briefs their own weights give again.

# %%
found = replay(db, tried, since=span.since, until=span.until)
figures = pd.DataFrame(
    [{"figure": name, "what": FIGURES[name], **asdict(each)} for name, each in found.figures.items()]
)
figures = figures.astype({"value": float, "low": float, "high": float, "count": int})
figures[["figure", "what", "value", "low", "high", "count", "of"]].round(3) if found.briefs else print(
    "No brief was shown or kept back in these days: hooks bring the first (`memory-db install`)."
)

# %%
sides = {"ignored_gone": GOOD, "known_come": GOOD, "wrong_gone": GOOD, "useful_gone": BAD}
shares = figures[~figures["figure"].isin(["lines", "tokens"])].dropna(subset=["value"]).copy()
shares["colour"] = [palette()[sides.get(name, OFF)] for name in shares["figure"]]
base = alt.Chart(shares[["what", "value", "low", "high", "of", "colour"]], width=330).encode(
    y=alt.Y("what:N", sort=list(shares["what"]), title="what would change", axis=alt.Axis(labelLimit=420)),
    color=alt.Color("colour:N", scale=None),
    tooltip=["what", alt.Tooltip("value:Q", format=".0%"), alt.Tooltip("low:Q", format=".0%"),
             alt.Tooltip("high:Q", format=".0%"), "of"],
)  # fmt: skip
share = alt.X("value:Q", title="share, 95 % interval", axis=alt.Axis(format="%"), scale=alt.Scale(domain=[0, 1]))
alt.layer(base.mark_rule(strokeWidth=2).encode(x="low:Q", x2="high:Q"), base.mark_point(filled=True, size=70, opacity=1)
          .encode(x=share)).properties(title=f"Under {tried.name}: green is better, red is worse") if len(
    shares) else None  # fmt: skip

# %% [markdown]
# ## Which briefs?
#
# The newest of those that would have been others; each leads to the page that explains it.

# %%
listed = [
    {"recall_uid": each.recall_uid, "asked_at": each.asked_at[:16], "lines": each.lines_before,
     "lines then": each.lines_after, "gone": len(each.gone), "come": len(each.come)}
    for each in found.changes
]  # fmt: skip
pd.DataFrame(listed[:15]) if listed else print("No brief would have been another one.")

# %% [markdown]
# ## Which lines?
#
# Those that go or come most often, with what came of them where they were shown. `known`: the user had to say it again.

# %%
lines = pd.DataFrame(
    [(what, line.type, line.uid, line.sign) for each in found.changes
     for what, some in (("goes", each.gone), ("comes", each.come)) for line in some],
    columns=["what", "type", "uid", "sign"],
)  # fmt: skip
texts = query(
    "select uid, kind, text from memories union all select uid, kind, substr(text, 1, 200) from entries"
    " where uid in (select value from json_each(:uids))",
    {"uids": lines["uid"].drop_duplicates().to_json(orient="values")},
)
often = (
    lines.groupby(["what", "type", "uid", "sign"])
    .size()
    .rename("briefs")
    .reset_index()
    .merge(texts, on="uid", how="left")
)
often["memory"], often["entry_uid"] = (often["uid"].where(often["type"] == one, "") for one in ("memory", "entry"))
shown = ["what", "briefs", "sign", "kind", "text", "memory", "entry_uid"]
often.sort_values("briefs", ascending=False).head(12)[shown] if len(often) else print("No line goes or comes.")

# %%
counted = lines.assign(sign=lines["sign"].replace("", "not shown then"))
signs = {
    "useful": GOOD,
    "wrong": BAD,
    "ignored": OFF,
    "unknown": "line",
    "known": "meaning-0",
    "not shown then": "words-2",
}
shades = alt.Scale(domain=list(signs), range=[palette()[name] for name in signs.values()])
alt.Chart(counted, title="Lines that go and come", width=420).mark_bar().encode(
    x=alt.X("count()", title="lines", axis=alt.Axis(tickMinStep=1)),
    y=alt.Y("what", title="the line", sort=["goes", "comes"]),
    color=alt.Color("sign", title="what came of it", scale=shades),
    tooltip=["what", "sign", "count()"],
) if len(lines) else None

# %% [markdown]
# ## The answer

# %%
said = {name: each for name, each in found.figures.items() if each.of}
parts = [
    f"{said[name].count:.0f} of {said[name].of} {words} would have gone"
    for name, words in (("ignored_gone", "lines shown and ignored"), ("useful_gone", "lines of use"))
    if name in said
]
changed = found.figures["changed"]
print(
    f"Under {tried.name} {changed.count:.0f} of {found.briefs} briefs of these days would have had other lines"
    f" ({changed.value:.0%}, {of_how_many(changed.low, changed.high)}){'; ' if parts else ''}{', '.join(parts)}."
    if found.briefs
    else "Nothing to replay yet: 0 briefs in these days."
)
