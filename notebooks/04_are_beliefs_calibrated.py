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
# # Are beliefs calibrated?
#
# Of the memories that are believed with a confidence of 0.8, four in five should turn out to hold. What was believed by
# how a memory came to be known alone is compared with what feedback said of it later.

# %% tags=["parameters"]
database = None  # path of a memory-db file; None: the sample history, made when it is first needed
fewest = 30  # memories with feedback that a tier needs before anything is concluded from them

# %%
from pathlib import Path

import altair as alt
import pandas as pd
from prepare import NO_MEMORIES, enable_charts

from memory_db.evaluation.uplift import FEWEST_SESSIONS, uplifts
from memory_db.knowledge.evidence import fitting_factors
from memory_db.sample.file import ensure_sample
from memory_db.store.connection import connect

enable_charts()
db = connect(Path(database) if database else ensure_sample())


def table(sql: str) -> pd.DataFrame:
    cursor = db.execute(sql)
    return pd.DataFrame(map(tuple, cursor), columns=[column[0] for column in cursor.description])


# %% [markdown]
# ## How surely is what believed?
#
# A memory is believed by the prior of its kind and the evidence that counts. How much of the prior it is given is told
# by its tier: `explicit` was added, confirmed or locked by you, `signals` was said by you in a session, `inferred` was
# said or concluded by the agent or a model.

# %%
believed = table("select uid, kind, tier, confidence, low, high from belief_intervals")
tiers = table("select name as tier, prior_factor from tiers").set_index("tier")
tiers.join(believed.groupby("tier").agg(memories=("uid", "count"), confidence=("confidence", "mean")).round(3))

# %% [markdown]
# In JupyterLab the slider leaves what is believed at least so surely: what would a brief be left with?

# %%
least = alt.param(
    name="least_confidence", value=0, bind=alt.binding_range(min=0, max=1, step=0.01, name="confidence at least ")
)
alt.Chart(believed[["tier", "confidence"]], title="Memories by confidence", width=480).add_params(
    least
).transform_filter("datum.confidence >= least_confidence").mark_bar().encode(
    x=alt.X("confidence", bin=alt.Bin(step=0.05, extent=[0, 1])),
    y=alt.Y("count()", title="memories"),
    color=alt.Color("tier", sort=list(tiers.index)),
    tooltip=["tier", "count()"],
)

# %% [markdown]
# ## How uncertain is that?
#
# The interval in which a confidence lies with 90 %, by the normal approximation: the fewer the evidence, the wider.

# %%
believed["width"] = believed["high"] - believed["low"]
believed.groupby("kind").agg(
    memories=("uid", "count"), confidence=("confidence", "mean"), width=("width", "mean")
).round(3).sort_values("width", ascending=False)

# %% [markdown]
# ## How did it come about?
#
# The memories with the most evidence, step by step: 0 is the prior.

# %%
steps = table(
    "select h.uid, m.title, h.step, h.kind, h.direction, h.confidence from belief_history h join memories m using (uid)"
)
most = steps.groupby("uid")["step"].max().astype(int).nlargest(6).index
lines = steps[steps["uid"].isin(most)].assign(memory=lambda rows: rows["uid"] + " " + rows["title"].str.slice(0, 40))
ways = (
    alt.Chart(lines, title="Confidence after each piece of evidence", width=420)
    .mark_line(point=True)
    .encode(
        x=alt.X("step:O", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("confidence:Q", scale=alt.Scale(zero=False)),
        color=alt.Color("memory:N", legend=alt.Legend(labelLimit=330, orient="bottom", columns=1)),
        tooltip=["memory", "step", "kind", "direction", alt.Tooltip("confidence:Q", format=".3f")],
    )
)
ways if len(lines) else print(NO_MEMORIES)

# %% [markdown]
# ## What came of them?
#
# Feedback is left out of the confidence that it is compared with: else it would prove itself. A point on the line is
# well calibrated, one below it was believed too surely.

# %%
calibration = table("select * from belief_calibration")
calibration.round(3)

# %%
line = (
    alt.Chart(pd.DataFrame({"x": [0, 1], "y": [0, 1]})).mark_line(strokeDash=[4, 3], color="gray").encode(x="x", y="y")
)
points = (
    alt.Chart(calibration)
    .mark_circle(opacity=0.8)
    .encode(
        x=alt.X("mean_confidence:Q", title="confidence without feedback", scale=alt.Scale(domain=[0, 1])),
        y=alt.Y("held_share:Q", title="share that feedback speaks for", scale=alt.Scale(domain=[0, 1])),
        size=alt.Size("memories:Q"),
        color=alt.Color("tier:N", sort=list(tiers.index)),
        tooltip=["tier", "memories", "mean_confidence", "held_share"],
    )
)
alt.layer(line, points).properties(title="Believed and held", width=380, height=380) if len(calibration) else print(
    "No memory has feedback yet: `memory-db memory confirm` and `memory feedback` give it, and so do citations."
)

# %% [markdown]
# ## What would the factors be?
#
# The factor of each tier under which its memories would be believed as often as they held. Nothing is changed: edit the
# rows of `tiers` if you agree.

# %%
outcomes = table("select tier, count(*) as with_feedback, avg(held) as held from belief_outcomes group by tier")
fitted = pd.Series(fitting_factors(db, fewest=fewest), name="fitting_factor", dtype=float)
factors = tiers.join(outcomes.set_index("tier")).join(fitted)
factors["with_feedback"] = factors["with_feedback"].fillna(0).astype(int)
factors

# %% [markdown]
# ## Does memory help?
#
# With the setting `holdout_share` above 0 a share of the sessions, by lot, is shown no memory but locked ones. The
# difference between the two arms is what memory does; the line is where it lies with 95 %, by resampling sessions.
# Corrections, repetitions and tokens are better when fewer, outcomes when higher.

# %%
helped = pd.DataFrame(
    [
        {
            "measure": each.measure, "briefed": each.briefed, "held out": each.held_out,
            "sessions": f"{each.briefed_sessions} + {each.held_out_sessions}", "difference": each.difference,
            "low": each.low, "high": each.high, "helps": each.helps,
        }
        for each in uplifts(db)
    ]
)  # fmt: skip
helped.round(3) if len(helped) else print(
    "No data yet: no session was held out. `memory-db settings holdout_share 0.2` begins an experiment; it takes"
    f" {FEWEST_SESSIONS} sessions in each arm before a difference has an interval."
)

# %%
known = helped.dropna(subset=["low"]) if len(helped) else helped
dots = alt.Chart(known, width=420, height=40)
alt.layer(
    dots.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title="briefed minus held out"), x2="high:Q"),
    dots.mark_point(filled=True, size=50, opacity=1).encode(x="difference:Q", tooltip=list(known.columns)),
    dots.mark_rule(strokeDash=[4, 3], color="gray").encode(x=alt.datum(0)),
).facet(row=alt.Row("measure:N", title=None)).resolve_scale(x="independent") if len(known) else print(
    f"No interval yet: it takes {FEWEST_SESSIONS} sessions in each arm."
)

# %% [markdown]
# ## The answer

# %%
enough = factors[factors["with_feedback"] >= fewest]
told = "; ".join(
    f"{tier} has a factor of {row['prior_factor']:g}, and {row['fitting_factor']:g} would fit"
    for tier, row in enough.iterrows()
)
mean = f"; their mean confidence is {believed['confidence'].mean():.2f}" if len(believed) else ""
print(
    f"{factors['with_feedback'].sum()} of {len(believed)} memories have feedback: {told}."
    if told
    else f"Too little data to say: {factors['with_feedback'].sum()} of {len(believed)} memories have feedback, and no"
    f" tier has the {fewest} that it needs{mean}."
)
