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
# # What does memory cost, and what does it save?
#
# What agents spent by their transcripts, the share of it that was briefs, what memory's own calls of models cost, and
# what was saved: a range over named other ways to know the same, net, less than nothing where memory cost more.

# %% tags=["parameters"]
database = None  # path of a memory-db file; None: the sample history, made when it is first needed
fewest = 20  # recalls read by a model that are needed before anything is concluded from them

# %%
import altair as alt
import pandas as pd
from prepare import open_file

from memory_db.models import prices, savings
from memory_db.notebook import query
from memory_db.notebook.theme import BAD, GOOD, palette
from memory_db.store.money import NANOCENTS_PER_USD, dollars

db = open_file(database)


# %% [markdown]
# ## What was spent, by source?
#
# `session` and `subagent` are agents' calls, from the usage in their transcripts, each counted once. `extraction`,
# `judge`, `portrait` and `ask` are calls that memory made. What is `part_of` another source is a share of it: briefs
# were read by the agent, so its own usage holds them already, and nothing is added twice.

# %%
spent = query("select * from cost_by_source")
by_source = spent.groupby(["part_of", "source"])[["calls", "input_tokens", "output_tokens", "cost_nanocents"]].sum()
by_source.reset_index() if len(spent) else print("No call of a model is known yet.")

# %%
whole = spent[spent["part_of"] == ""]
drawn = whole.groupby(["day", "source"], as_index=False)["cost_nanocents"].sum()
drawn["US dollars"] = drawn["cost_nanocents"] / NANOCENTS_PER_USD
drawn["day"] = pd.to_datetime(drawn["day"])
alt.Chart(drawn[["day", "source", "US dollars"]], title="Spent by day", width=620, height=220).mark_bar().encode(
    x=alt.X("day:T", title="day (UTC)", timeUnit="yearmonthdate", axis=alt.Axis(format="%d %b")),
    y=alt.Y("US dollars", title="US dollars", axis=alt.Axis(format="$.2f")),
    color=alt.Color("source"),
    tooltip=["day", "source", alt.Tooltip("US dollars", format="$.4f")],
) if len(drawn) else None

# %% [markdown]
# Models without a known price are in none of these sums: give them one with `memory-db model price set`.

# %%
unpriced = pd.DataFrame(map(tuple, prices.without_price(db)), columns=["model", "calls"])
unpriced if len(unpriced) else print("Every model that was called has a price.")

# %% [markdown]
# ## Of which sorts are the tokens that agents paid for?
#
# What stands in a context is read again from the cache by each call: so a brief costs more than its tokens once.

# %%
SORTS = {"input": "input", "output": "output", "cache_write_5m": "write 5 min", "cache_write_1h": "write 1 hour",
         "cache_read": "read from cache"}  # fmt: skip
calls = query(
    "select c.model, "
    + ", ".join(f"sum(c.{sort}_tokens) as {sort}_tokens" for sort in SORTS)
    + ", "
    + ", ".join(f"sum(c.{sort}_tokens * p.{sort}_nanocents) as {sort}_cost" for sort in SORTS)
    + " from api_calls c join price_periods p on p.model = c.model and p.holds_from <= c.created_at"
    " and c.created_at < p.holds_until group by c.model"
)
sorts = pd.DataFrame(
    [(row["model"], name, row[f"{sort}_tokens"], row[f"{sort}_cost"] / NANOCENTS_PER_USD)
     for _, row in calls.iterrows() for sort, name in SORTS.items()],
    columns=["model", "sort", "tokens", "US dollars"],
)  # fmt: skip
alt.Chart(sorts, title="By sort of token", width=300, height=150).mark_bar().encode(
    x=alt.X(alt.repeat("column"), type="quantitative"),
    y=alt.Y("sort", sort=list(SORTS.values()), title="sort of token"),
    color=alt.Color("model"),
    tooltip=["model", "sort", "tokens", alt.Tooltip("US dollars", format=".4f")],
).repeat(column=["tokens", "US dollars"]) if len(sorts) else None

# %% [markdown]
# ## What did the briefs cost?
#
# Once, at the input price of the model that read them; and as a cache has it: written by the call that read them first,
# read again by each later call of the session, until that was compacted.

# %%
briefs = query(
    "select surface, count(*) as briefs, sum(shown_tokens) as tokens, round(avg(later_calls), 1) as later_calls,"
    " sum(cost_nanocents) as once_nanocents, sum(cost_with_rereads_nanocents) as with_rereads_nanocents"
    " from brief_costs group by surface"
)
briefs if len(briefs) else print("No data yet: no recall was read by a model.")

# %% [markdown]
# ## What was saved?
#
# Nobody can know what would have been without memory. Each line is another way to have known the same, from what it
# leaves when everything is read once to what it leaves when later calls read it again.

# %%
ways = savings.ways(db)
for way in ways:
    print(f"{way.counterfactual}: {way.assumes}.")
ends = pd.DataFrame(
    [(way.counterfactual, net / NANOCENTS_PER_USD) for way in ways
     for net in (way.net_nanocents, way.net_with_rereads_nanocents)],
    columns=["instead of memory", "net, US dollars"],
)  # fmt: skip
ranges = alt.Chart(ends, title="Saved, net: from read once to read again", width=480, height=90).encode(
    x=alt.X("net, US dollars:Q", title="net, US dollars", axis=alt.Axis(format="$.2f")),
    y=alt.Y("instead of memory:N", sort=list(savings.ORDER), title="instead of memory"),
    color=alt.Color("instead of memory:N", sort=list(savings.ORDER), legend=None),
    tooltip=["instead of memory:N", alt.Tooltip("net, US dollars:Q", format="$.4f")],
)
alt.layer(
    ranges.mark_line(strokeWidth=3).encode(detail="instead of memory:N"),
    ranges.mark_point(filled=True, size=60, opacity=1),
) if ways else print(
    "No data yet: no recall was read by a model, and memory called none. Hooks bring the first (`memory-db install`)."
)

# %% [markdown]
# How much of what stood in a context was really read again nobody can see. In JupyterLab the slider chooses a share,
# from read once (0) to read again by each later call (1).

# %%
share = alt.param(
    name="read_again", value=0.5, bind=alt.binding_range(min=0, max=1, step=0.05, name="share read again ")
)
nets = pd.DataFrame(
    [(way.counterfactual, way.net_nanocents / NANOCENTS_PER_USD, way.net_with_rereads_nanocents / NANOCENTS_PER_USD)
     for way in ways],
    columns=["instead", "once", "again"],
)  # fmt: skip
bars = (
    alt.Chart(nets, title="Saved, net, at that share", width=480, height=90)
    .add_params(share)
    .transform_calculate(net="datum.once + read_again * (datum.again - datum.once)")
    .mark_bar()
    .encode(
        x=alt.X("net:Q", title="net, US dollars", axis=alt.Axis(format="$.2f")),
        y=alt.Y("instead:N", sort=list(savings.ORDER), title="instead of memory"),
        color=alt.condition("datum.net < 0", alt.value(palette()[BAD]), alt.value(palette()[GOOD])),
        tooltip=["instead:N", alt.Tooltip("net:Q", format=".5f")],
    )
)
bars if ways else None

# %% [markdown]
# ## What stood out?
#
# Days and sessions of more than three times the median of the fourteen before them, and calls of more than ten times
# that of the fifty before them, above a floor: the view `cost_anomalies`.

# %%
stood_out = query(
    "select level, iif(level = 'session', subject, null) as session_uid, began_at, project, cost_nanocents,"
    " usual_nanocents, times_the_usual, compared_with from cost_anomalies"
)
stood_out if len(stood_out) else print("Nothing stood out.")

# %% [markdown]
# ## The answer

# %%
agents = int(whole[whole["source"].isin(["session", "subagent"])]["cost_nanocents"].sum())
recalls = ways[0].recalls if ways else 0
low, high = savings.net_range(ways) if ways else (0, 0)
print(
    f"Agents spent {dollars(agents, 2)}; memory saved between {dollars(low, 2)} and {dollars(high, 2)}, net, by"
    f" {recalls} recalls."
    if recalls >= fewest
    else f"Agents spent {dollars(agents, 2)}; no recall was read by a model yet, so there is nothing that memory saved."
    if not recalls
    else f"Agents spent {dollars(agents, 2)}. By the {recalls} recalls that a model read, memory saved between"
    f" {dollars(low, 2)} and {dollars(high, 2)}, net; it takes {fewest} of them before that says much."
)
