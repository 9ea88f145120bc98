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
# # Which agent, and which model, is worth its price?
#
# What a session costs and how it goes, by the agent and the model that did most of it, each figure with its 95 %
# interval. It is no experiment: who was given the harder work nobody knows, so a difference is a question to look into.

# %% tags=["parameters"]
database = None  # path of a memory-db file; None: the sample history, made when it is first needed
fewest = 5  # sessions of a model that its measures need to be named in the answer

# %%
import altair as alt
import pandas as pd
from prepare import of_how_many, open_file

from memory_db.evaluation.workers import LOWER_IS_BETTER, MEASURES, WORK, differ, measured
from memory_db.notebook import query
from memory_db.store.money import NANOCENTS_PER_USD, dollars

db = open_file(database)

# %% [markdown]
# ## Who did what?
#
# A session counts with its subagents for the model that cost most of it.

# %%
sessions = query(WORK)
worked = sessions.groupby(["agent", "model"], as_index=False).agg(
    sessions=("session_uid", "count"), prompts=("prompts", "sum"), actions=("actions", "sum"),
    cost_nanocents=("cost_nanocents", "sum"), without_price=("cost_nanocents", lambda costs: int(costs.isna().sum())),
)  # fmt: skip
worked = worked.sort_values("sessions", ascending=False)
worked.rename(columns={"without_price": "sessions without a price"}) if len(worked) else print(
    "No call of a model is known yet: `memory-db run` takes in your transcripts."
)

# %% [markdown]
# ## What does each measure say?

# %%
rows = [
    {
        "agent": each.agent, "model": each.model, "measure": each.measure, "sessions": each.sessions,
        "value": each.value / (NANOCENTS_PER_USD if each.measure == "cost" else 1),
        "low": None if each.low is None else each.low / (NANOCENTS_PER_USD if each.measure == "cost" else 1),
        "high": None if each.high is None else each.high / (NANOCENTS_PER_USD if each.measure == "cost" else 1),
    }
    for each in measured(db)
]  # fmt: skip
columns = ["agent", "model", "measure", "sessions", "value", "low", "high"]
figures = pd.DataFrame(rows, columns=columns).astype({"low": float, "high": float})
figures["who"] = figures["model"] if figures["agent"].nunique() < 2 else figures["agent"] + ", " + figures["model"]
titles = {"cost": "US dollars of a session", "good": "sessions that ended well", "corrections": "corrections a prompt",
          "failed": "tool calls that failed"}  # fmt: skip
figures["means"] = figures["measure"].map(titles) + figures["measure"].map(
    lambda name: ", lower is better" if name in LOWER_IS_BETTER else ", higher is better"
)
table = figures.assign(interval=[of_how_many(row.low, row.high, "{:.2f}") for row in figures.itertuples()])
table = table.sort_values(["measure", "sessions"], ascending=[True, False])
table[["means", "who", "sessions", "value", "interval"]].round(2).head(24) if len(table) else None

# %%
order = list(dict.fromkeys(figures["who"]))
base = alt.Chart(figures, width=240, height=28 * max(1, len(order))).encode(
    y=alt.Y("who:N", sort=order, title="agent and model"), color=alt.Color("who:N", sort=order, legend=None),
    tooltip=["who", "measure", "sessions", alt.Tooltip("value:Q", format=".3f"), alt.Tooltip("low:Q", format=".3f"),
             alt.Tooltip("high:Q", format=".3f")],
)  # fmt: skip
alt.layer(
    base.mark_rule(strokeWidth=2).encode(
        x=alt.X("low:Q", title="in the unit above, 95 % interval", scale=alt.Scale(zero=True)), x2="high:Q"
    ),
    base.mark_point(filled=True, size=70, opacity=1).encode(x="value:Q"),
).facet(facet=alt.Facet("means:N", title=None), columns=2).resolve_scale(x="independent") if len(figures) else None

# %% [markdown]
# A dot is the mean over sessions, its line the 95 % interval by resampling them; without a line there are too few.
# Where two lines do not touch, the difference is more than luck.
#
# ## Cost and outcome of each session
#
# In JupyterLab point at a session for its uid; the dearest are listed below.

# %%
priced = sessions.dropna(subset=["cost_nanocents"]).copy()
priced["US dollars"] = priced["cost_nanocents"].astype(float) / NANOCENTS_PER_USD
priced["outcome"] = priced["outcome"].fillna("unknown")
outcomes = ["good", "mixed", "bad", "unknown"]
alt.Chart(priced[["US dollars", "outcome", "model", "session_uid"]], title="Sessions by cost and outcome", width=480,
          height=160).mark_circle(size=60, opacity=0.7).encode(
    x=alt.X("US dollars:Q", axis=alt.Axis(format="$.2f"), title="US dollars of a session"),
    y=alt.Y("outcome:N", sort=outcomes, title="outcome of the session"),
    yOffset="model:N",
    color=alt.Color("model:N", sort=list(dict.fromkeys(figures["model"]))),
    tooltip=["session_uid", "model", "outcome", alt.Tooltip("US dollars:Q", format="$.4f")],
) if len(priced) else None  # fmt: skip

# %%
dearest = priced.sort_values("cost_nanocents", ascending=False).head(8)
dearest[["session_uid", "agent", "model", "cost_nanocents", "outcome", "prompts", "corrections"]] if len(
    dearest
) else None

# %% [markdown]
# ## The answer

# %%
found = {(each.agent, each.model, each.measure): each for each in measured(db)}
named = [key[:2] for key, one in found.items() if one.measure == "good" and one.sessions >= fewest]
said = [
    f"{model}: {one.value:.0%} of {one.sessions} sessions ended well ({of_how_many(one.low, one.high)})"
    + (f", {dollars(round(cost.value), 2)} each" if (cost := found.get((agent, model, "cost"))) else "")
    for agent, model in named
    for one in [found[agent, model, "good"]]
]
apart = [
    f"{MEASURES[measure].split(',')[0]} of {one[1]} and {other[1]}"
    for place, one in enumerate(named) for other in named[place + 1 :] for measure in MEASURES
    if (*one, measure) in found and (*other, measure) in found and differ(found[*one, measure], found[*other, measure])
]  # fmt: skip
print(
    f"{'; '.join(said)}. More than luck: {'; '.join(apart) or 'no difference'}, over {len(sessions)} sessions."
    if named
    else f"Too few sessions to compare: {len(sessions)}, and no model has {fewest} with a known outcome."
)
