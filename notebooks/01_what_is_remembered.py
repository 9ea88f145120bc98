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
# # What is remembered?
#
# Which kinds of knowledge the file holds, of which projects and weeks, by which rules they were found, on how many
# quotes each rests, and what was turned down and why.

# %% tags=["parameters"]
database = None  # path of a memory-db file; None: the sample history, made when it is first needed

# %%
from pathlib import Path

import altair as alt
import pandas as pd
from prepare import NO_MEMORIES, enable_charts

from memory_db.sample.file import ensure_sample
from memory_db.store.connection import connect

enable_charts()
db = connect(Path(database) if database else ensure_sample())


def table(sql: str) -> pd.DataFrame:
    cursor = db.execute(sql)
    return pd.DataFrame(map(tuple, cursor), columns=[column[0] for column in cursor.description])


# %% [markdown]
# ## By kind
#
# One bar a kind, parted by whether it holds in its project or for the user everywhere. In JupyterLab the slider leaves
# those that rest on as many quotes at least.

# %%
memories = table(
    "select uid, kind, scope, coalesce(project, 'any') as project, title, quotes, confidence, tokens,"
    " created_at, valid_from from current_memories"
)
memories.head(5)[["kind", "scope", "project", "title", "quotes", "confidence"]]

# %%
least = alt.param(
    name="least_quotes",
    value=1,
    bind=alt.binding_range(min=1, max=max([1, *memories["quotes"]]), step=1, name="quotes at least "),
)
alt.Chart(memories[["kind", "scope", "quotes"]], title="Memories by kind", width=480).add_params(
    least
).transform_filter("datum.quotes >= least_quotes").mark_bar().encode(
    x=alt.X("count()", title="memories"),
    y=alt.Y("kind", sort="-x", title=None),
    color=alt.Color("scope", title="holds for"),
    tooltip=["kind", "scope", "count()"],
)

# %% [markdown]
# ## By project and week
#
# A memory counts in the week from which it holds: that in which it was said.

# %%
days = pd.to_datetime(memories["valid_from"]).dt.tz_localize(None)
memories["week"] = days.dt.to_period("W").dt.start_time.dt.strftime("%d %b")
memories = memories.sort_values("valid_from")
alt.Chart(memories[["week", "project"]], title="Memories by week and project", width=480).mark_bar().encode(
    x=alt.X("week", sort=None, title="week from"),
    y=alt.Y("count()", title="memories"),
    color=alt.Color("project"),
    tooltip=["project", "count()"],
)

# %%
memories.pivot_table(index="kind", columns="project", values="uid", aggfunc="count", fill_value=0, margins=True)

# %% [markdown]
# ## By rule
#
# `candidate_funnel` says for each rule and kind what became of its candidates.

# %%
outcomes = ["kept", "duplicates", "rejected", "quarantined", "pending"]
funnel = table("select * from candidate_funnel")
by_rule = funnel.groupby("rule")[["candidates", *outcomes]].sum().sort_values("candidates", ascending=False)
by_rule

# %%
alt.Chart(by_rule.reset_index(), title="What became of each rule's candidates", width=480).transform_fold(
    outcomes, as_=["outcome", "count"]
).transform_filter("datum.count > 0").mark_bar().encode(
    x=alt.X("count:Q", title="candidates", axis=alt.Axis(tickMinStep=1)),
    y=alt.Y("rule", sort="-x", title=None),
    color=alt.Color("outcome:N", sort=outcomes),
    tooltip=["rule", "outcome:N", "count:Q"],
)

# %% [markdown]
# ## On how many quotes
#
# Every memory names the entries it came from, word for word. More than one quote: it was said again.

# %%
quoted = memories.groupby("quotes").agg(memories=("uid", "count"), confidence=("confidence", "mean")).round(3)
quoted

# %%
memories.sort_values(["quotes", "confidence"], ascending=False).head(5)[
    ["kind", "project", "title", "quotes", "confidence"]
]

# %% [markdown]
# ## What was turned down, and why
#
# Nothing is dropped in silence: each candidate keeps its quote, the decision and the reason.

# %%
turned_down = table(
    "select action, reason, rule, kind, quote from candidate_states"
    " where action in ('reject', 'quarantine', 'duplicate') or action is null"
)
turned_down.groupby(["action", "reason"], dropna=False).size().rename("candidates").reset_index()

# %%
turned_down.assign(quote=turned_down["quote"].str.slice(0, 100)).head(10)

# %% [markdown]
# ## The answer

# %%
entries = table("select count(*) as number from entries")["number"][0]
top = memories["kind"].value_counts()
kept = funnel["kept"].sum() / max(1, funnel["candidates"].sum())
print(
    f"Of {entries:,} entries {len(memories)} memories are kept ({kept:.0%} of the candidates), most often of the kind"
    f" {top.index[0]} ({top.iloc[0]}); {(memories['quotes'] > 1).sum()} rest on more than one quote,"
    f" and {len(turned_down)} candidates were turned down or wait."
    if len(memories)
    else f"{NO_MEMORIES} There are {entries:,} entries, and {len(turned_down)} candidates were turned down or wait."
)
