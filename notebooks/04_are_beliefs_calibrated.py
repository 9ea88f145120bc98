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
import altair as alt
import pandas as pd
from prepare import NO_MEMORIES, of_how_many, open_file, with_intervals

from memory_db.knowledge.evidence import fitting_factors
from memory_db.notebook import query

db = open_file(database)


# %% [markdown]
# ## How surely is what believed?
#
# A memory is believed by the prior of its kind and the evidence that counts. How much of the prior it is given is told
# by its tier: `explicit` was added, confirmed or locked by you, `signals` was said by you in a session, `inferred` was
# said or concluded by the agent or a model.

# %%
believed = query("select uid, kind, tier, confidence, low, high from belief_intervals")
tiers = query("select name as tier, prior_factor from tiers").set_index("tier")
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
    x=alt.X("confidence", bin=alt.Bin(step=0.05, extent=[0, 1]), title="confidence, 0 to 1"),
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
widths = believed.groupby("kind").agg(
    memories=("uid", "count"), confidence=("confidence", "mean"), width=("width", "mean")
)
widths.round(3).sort_values("width", ascending=False) if len(widths) else print(NO_MEMORIES)

# %% [markdown]
# ## How did it come about?
#
# The memories with the most evidence, step by step: 0 is the prior.

# %%
steps = query(
    "select h.uid, m.title, h.step, h.kind, h.direction, h.confidence from belief_history h join memories m using (uid)"
)
most = steps.groupby("uid")["step"].max().astype(int).nlargest(6).index
lines = steps[steps["uid"].isin(most)].assign(memory=lambda rows: rows["uid"] + " " + rows["title"].str.slice(0, 40))
ways = (
    alt.Chart(lines, title="Confidence after each piece of evidence", width=420)
    .mark_line(point=True)
    .encode(
        x=alt.X("step:O", title="pieces of evidence", axis=alt.Axis(labelAngle=0)),
        y=alt.Y("confidence:Q", title="confidence, 0 to 1", scale=alt.Scale(zero=False)),
        color=alt.Color("memory:N", legend=alt.Legend(labelLimit=330, orient="bottom", columns=1)),
        tooltip=["memory", "step", "kind", "direction", alt.Tooltip("confidence:Q", format=".3f")],
    )
)
ways if len(lines) else print(NO_MEMORIES)

# %% [markdown]
# ## What came of them?
#
# Feedback is left out of the confidence that it is compared with: else it would prove itself. A point on the line is
# well calibrated, one below it was believed too surely; where its 95 % interval crosses the line, nothing is said yet.

# %%
calibration = query("select *, cast(round(held_share * memories) as integer) as held from belief_calibration")
calibration = with_intervals(calibration, "held", "memories")
shown = ["tier", "from_confidence", "to_confidence", "memories", "held", "mean_confidence", "share", "low", "high"]
calibration[shown].round(3) if len(calibration) else print(
    "No memory has feedback yet: `memory-db memory confirm` and `memory feedback` give it, and so do citations."
)

# %%
line = (
    alt.Chart(pd.DataFrame({"x": [0, 1], "y": [0, 1]})).mark_line(strokeDash=[4, 3], color="gray").encode(x="x", y="y")
)
base = alt.Chart(calibration).encode(
    x=alt.X("mean_confidence:Q", title="confidence without feedback, 0 to 1", scale=alt.Scale(domain=[0, 1])),
    color=alt.Color("tier:N", sort=list(tiers.index)),
    tooltip=["tier", "memories", "mean_confidence", "share", "low", "high"],
)
share = alt.Y("low:Q", title="share that feedback speaks for, 95 % interval", scale=alt.Scale(domain=[0, 1]))
points = base.mark_circle(opacity=0.9).encode(y="share:Q", size=alt.Size("memories:Q", title="memories with feedback"))
alt.layer(line, base.mark_rule(strokeWidth=2).encode(y=share, y2="high:Q"), points).properties(
    title="Believed and held", width=380, height=380
) if len(calibration) else None

# %% [markdown]
# ## What would the factors be?
#
# The factor of each tier under which its memories would be believed as often as they held. Nothing is changed: edit the
# rows of `tiers` if you agree.

# %%
outcomes = query("select tier, count(*) as with_feedback, avg(held) as held from belief_outcomes group by tier")
fitted = pd.Series(fitting_factors(db, fewest=fewest), name="fitting_factor", dtype=float)
factors = tiers.join(outcomes.set_index("tier")).join(fitted)
factors["with_feedback"] = factors["with_feedback"].fillna(0).astype(int)
factors.dropna(axis=1, how="all")

# %% [markdown]
# ## The answer

# %%
enough = factors[factors["with_feedback"] >= fewest]
told = "; ".join(
    f"{tier} has a factor of {row['prior_factor']:g}, and {row['fitting_factor']:g} would fit"
    for tier, row in enough.iterrows()
)
sums = with_intervals(calibration.groupby(lambda _: 0)[["held", "memories"]].sum(), "held", "memories")
mean = (calibration["mean_confidence"] * calibration["memories"]).sum() / max(1, calibration["memories"].sum())
so_far = "".join(
    f" So far feedback speaks for {row.share:.0%} of them ({of_how_many(row.low, row.high)}), which were believed with"
    f" {mean:.2f}."
    for row in sums.itertuples()
)
print(
    f"{factors['with_feedback'].sum()} of {len(believed)} memories have feedback: {told}."
    if told
    else f"{factors['with_feedback'].sum()} of {len(believed)} memories have feedback; no tier has the {fewest} that it"
    f" takes to fit its factor.{so_far}"
)
