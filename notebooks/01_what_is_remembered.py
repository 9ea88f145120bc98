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
import altair as alt
import pandas as pd
from prepare import NO_MEMORIES, open_file

from memory_db.notebook import by_kind, query
from memory_db.notebook.theme import BAD, GOOD, OFF, by_scope, palette

db = open_file(database)


# %% [markdown]
# ## By kind
#
# One bar a kind, parted by whether it holds in its project or for the user everywhere. In JupyterLab the slider leaves
# those that rest on as many quotes at least.

# %%
memories = query(
    "select uid, kind, scope, coalesce(project, 'any') as project, title, quotes, confidence, tokens,"
    " created_at, valid_from from current_memories"
)
memories.head(5)[["uid", "kind", "scope", "project", "title", "quotes", "confidence"]] if len(memories) else None

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
    y=alt.Y("kind", sort="-x", title="kind"),
    color=by_scope(title="holds for"),
    tooltip=["kind", "scope", "count()"],
)

# %% [markdown]
# ## By project and week
#
# A memory counts in the week from which it holds: that in which it was said.

# %%
most = list(memories["project"].value_counts().index[:8])  # the others share a colour
memories["drawn as"] = memories["project"].where(memories["project"].isin(most), "other projects")
days = pd.to_datetime(memories["valid_from"]).dt.tz_localize(None)
memories["week"] = days.dt.to_period("W").dt.start_time.dt.strftime("%d %b")
memories = memories.sort_values("valid_from")
alt.Chart(memories[["week", "drawn as"]], title="Memories by week and project", width=480).mark_bar().encode(
    x=alt.X("week", sort=None, title="week from"),
    y=alt.Y("count()", title="memories"),
    color=alt.Color("drawn as", sort=most, title="project"),
    tooltip=["week", "drawn as", "count()"],
)

# %%
table = memories.pivot_table(
    index="kind", columns="drawn as", values="uid", aggfunc="count", fill_value=0, margins=True
)
table if len(table) else None

# %% [markdown]
# ## By rule
#
# `candidate_funnel` says for each rule and kind what became of its candidates. The fifteen rules with most of them,
# and below it those of which something was not kept.

# %%
outcomes = ["kept", "duplicates", "rejected", "quarantined", "pending", "other"]
funnel = query("select * from candidate_funnel")
funnel["other"] = funnel["candidates"] - funnel[outcomes[:-1]].sum(axis=1)
by_rule = funnel.groupby("rule")[["candidates", *outcomes]].sum().sort_values("candidates", ascending=False)
shades = dict(zip(outcomes, (palette()[name] for name in (GOOD, OFF, BAD, "meaning-1", "time-2", "line")), strict=True))
drawn = by_rule.head(15).reset_index()
alt.Chart(drawn, title="What became of each rule's candidates", width=480).transform_fold(
    outcomes, as_=["outcome", "count"]
).transform_filter("datum.count > 0").mark_bar().encode(
    x=alt.X("count:Q", title="candidates", axis=alt.Axis(tickMinStep=1)),
    y=alt.Y("rule", sort=list(drawn["rule"]), title="rule"),
    color=alt.Color("outcome:N", scale=alt.Scale(domain=outcomes, range=list(shades.values()))),
    tooltip=["rule", "outcome:N", "count:Q"],
) if len(drawn) else print("No candidate yet: rules find them in transcripts.")

# %%
lost = by_rule[by_rule["kept"] < by_rule["candidates"]]
lost.head(10) if len(lost) else print("Every candidate was kept, or there is none.")

# %% [markdown]
# ## On how many quotes
#
# Every memory names the entries it came from, word for word. More than one quote: it was said again.

# %%
quoted = memories.groupby(["quotes", "kind"]).agg(memories=("uid", "count")).reset_index()
alt.Chart(quoted, title="Memories by their quotes", width=480).mark_bar().encode(
    x=alt.X("quotes:O", title="quotes that a memory rests on", axis=alt.Axis(labelAngle=0)),
    y=alt.Y("memories", title="memories", axis=alt.Axis(tickMinStep=1)),
    color=by_kind(quoted["kind"], sort=None),
    tooltip=["quotes", "kind", "memories"],
) if len(quoted) else print(NO_MEMORIES)

# %%
memories.sort_values(["quotes", "confidence"], ascending=False).head(5)[
    ["uid", "kind", "project", "title", "quotes", "confidence"]
] if len(memories) else None

# %% [markdown]
# ## What was turned down, and why
#
# Nothing is dropped in silence: each candidate keeps its quote, the decision and the reason.

# %%
turned_down = query(
    "select action, reason, rule, kind, quote from candidate_states"
    " where action in ('reject', 'quarantine', 'duplicate') or action is null"
)
reasons = turned_down.groupby(["action", "reason"], dropna=False).size().rename("candidates").reset_index()
reasons.sort_values("candidates", ascending=False).head(15) if len(reasons) else print("Nothing was turned down.")

# %%
turned_down.assign(quote=turned_down["quote"].str.slice(0, 100)).head(10) if len(turned_down) else None

# %% [markdown]
# ## The answer

# %%
entries = query("select count(*) as number from entries")["number"][0]
top = memories["kind"].value_counts()
kept = funnel["kept"].sum() / max(1, funnel["candidates"].sum())
print(
    f"Of {entries:,} entries {len(memories)} memories are kept ({kept:.0%} of the candidates), most often of the kind"
    f" {top.index[0]} ({top.iloc[0]}); {(memories['quotes'] > 1).sum()} rest on more than one quote,"
    f" and {len(turned_down)} candidates were turned down or wait."
    if len(memories)
    else f"{NO_MEMORIES} There are {entries:,} entries, and {len(turned_down)} candidates were turned down or wait."
)
