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
# # Which memories are junk?
#
# A memory that says what another one says, that is an echo of our own briefs, or that is shown and never used costs
# attention at every recall. This looks at how alike the memories of a file are, and at what came of showing them.

# %% tags=["parameters"]
database = None  # path of a memory-db file; None: the sample history, made when it is first needed

# %%
from dataclasses import asdict, fields

import altair as alt
import pandas as pd
from prepare import NO_MEMORIES, with_recalls

from memory_db.gate.review.junk import KINDS, by_origin, find
from memory_db.gate.review.junk_clusters import clusters
from memory_db.gate.thresholds import NearestElsewhere, limits_of, neighbour_similarity
from memory_db.index.neighbours import open_vectors
from memory_db.notebook import by_kind, query
from memory_db.notebook.theme import BAD, GOOD, OFF, palette
from memory_db.pages.draw.colours import PROJECTS

db = with_recalls(database)


# %% [markdown]
# ## How alike are the nearest memories?
#
# For each memory the similarity with its nearest neighbour that can hold in the same place, and with the nearest one of
# another project. What is of another project cannot be the same: it shows how alike texts of this file are by chance.
# Where the file is large enough, the thresholds (the lines) are fitted on those; a similarity alone never decides.

# %%
vectors = open_vectors(db)
limits = limits_of(db, vectors.name)
names = [field.name for field in fields(NearestElsewhere)]
near = pd.DataFrame(map(asdict, neighbour_similarity(db, vectors)), columns=names).astype(
    {"similarity": float, "is_same_place": bool}
)
near["where"] = near["is_same_place"].map({True: "same place", False: "another project"})
near.groupby("where")["similarity"].describe(percentiles=[0.5, 0.95]).round(3) if len(near) else print(
    "Nothing to compare yet: that takes two memories. `memory-db run` takes in your transcripts, `memory-db add TEXT`"
    " one sentence."
)

# %%
bars = (
    alt.Chart(near[["similarity", "where"]], title=f"Nearest memories, by {vectors.name}", width=480)
    .mark_bar(opacity=0.7)
    .encode(
        x=alt.X("similarity", bin=alt.Bin(step=0.025), title="similarity with the nearest (cosine)"),
        y=alt.Y("count()", stack=None, title="memories"),
        color=alt.Color("where", title=None),
        tooltip=["where", "count()"],
    )
)
marks = pd.DataFrame({"similarity": [limits.related, limits.duplicate], "threshold": ["related", "may be the same"]})
lines = (
    alt.Chart(marks)
    .mark_rule(strokeWidth=2, strokeDash=[6, 3])
    .encode(x="similarity", tooltip=["threshold", "similarity"], detail="threshold")
)
words = (
    alt.Chart(marks)
    .mark_text(align="left", dx=4, dy=-4, baseline="bottom")
    .encode(x="similarity", y=alt.value(0), text="threshold")
)
bars + lines + words if len(near) else None

# %% [markdown]
# How many would be held for the same as another one if a similarity alone decided, and how many of those belong to
# another project and cannot be: in JupyterLab the slider moves the similarity from which on.

# %%
least = alt.param(
    name="least_similarity",
    value=round(limits.related, 2),
    bind=alt.binding_range(min=0.3, max=1, step=0.01, name="similarity at least "),
)
at_least = (
    alt.Chart(near[["similarity", "where"]], title="Memories at least as near to another one", width=480)
    .add_params(least)
    .transform_filter("datum.similarity >= least_similarity")
    .mark_bar()
    .encode(
        x=alt.X("count()", title="memories", axis=alt.Axis(tickMinStep=1)),
        y=alt.Y("where", title="nearest in", scale=alt.Scale(domain=["same place", "another project"])),
        color=alt.Color("where", legend=None),
        tooltip=["where", "count()"],
    )
)
at_least if len(near) else None

# %%
nearest = near[near["is_same_place"]].nlargest(5, "similarity")[["memory", "nearest", "similarity", "is_same_kind"]]
nearest if len(nearest) else None

# %% [markdown]
# ## Clusters
#
# Memories that are near each other, and of which a test of how two statements stand to each other says that they are
# the same.

# %%
groups = clusters(db, vectors)
texts = query("select memory_id, uid, text from current_memories").set_index("memory_id")
members = [
    {"cluster": number, "kept": one == group.kept, "uid": texts.loc[one, "uid"], "text": texts.loc[one, "text"]}
    for number, group in enumerate(groups, start=1)
    for one in (group.kept, *group.others)
]
pd.DataFrame(members) if members else print("No two memories say the same.")

# %% [markdown]
# ## What comes of considering a memory
#
# A recall logs its best hits, shown or not. A memory far to the right and at the bottom is considered often and never
# shown; one far up that no reply ever names is shown and ignored.

# %%
usage = query(
    "select c.uid, c.kind, o.rule, u.times_considered, c.times_shown, c.times_used from current_memories c"
    " join memory_usage u using (memory_id) join memory_origins o using (memory_id)"
)
circles = (
    alt.Chart(usage[["times_considered", "times_shown", "kind"]], title="Considered and shown", width=480)
    .mark_circle(opacity=0.6)
    .encode(
        x=alt.X("times_considered", title="times considered", axis=alt.Axis(tickMinStep=1)),
        y=alt.Y("times_shown", title="times shown", axis=alt.Axis(tickMinStep=1)),
        color=by_kind(usage["kind"], title=None),
        size=alt.Size("count()", title="memories"),
        tooltip=["kind", "times_considered", "times_shown", "count()"],
    )
)
circles if len(usage) else print(NO_MEMORIES)

# %% [markdown]
# ## What is found, and what made it
#
# That nobody cites a memory counts only where citations were to be expected: in a file without a citation nothing is
# ignored.

# %%
found = find(db, vectors=vectors)
junk = pd.DataFrame(map(asdict, found), columns=["junk", "uid", "kind", "project", "title", "reason", "is_protected"])
junk.head(15) if len(junk) else print("Nothing here looks like junk.")

# %%
origins = pd.DataFrame(by_origin(db, found), columns=["method", "version", "memories", "junk", *KINDS])
counted = origins.groupby(["method", "version"])[["memories", "junk", *KINDS]].sum()
counted.rename(columns=lambda name: name.replace("_", " ")) if len(counted) else None

# %%
known = dict(zip(junk["uid"], junk["junk"].astype(str).str.replace("_", " "), strict=True))
shown = usage["times_shown"].map(lambda times: "shown, and no junk" if times else "not shown yet")
usage["what"] = [known.get(uid, otherwise) for uid, otherwise in zip(usage["uid"], shown, strict=True)]
first = list(usage["rule"].value_counts().index[:15])
grey = {"not shown yet": palette()[OFF], "shown, and no junk": palette()[GOOD]}
whats = [*(each for each in usage["what"].unique() if each not in grey), *grey]
shades = [grey.get(each, palette()[name]) for each, name in zip(whats, (BAD, *PROJECTS), strict=False)]
by_rule = (
    alt.Chart(usage.loc[usage["rule"].isin(first), ["rule", "what"]], width=480,
              title="Memories by the rule that found them, the fifteen with most")
    .mark_bar()
    .encode(
        x=alt.X("count()", title="memories", axis=alt.Axis(tickMinStep=1)),
        y=alt.Y("rule", sort=first, title="rule"),
        color=alt.Color("what", title=None, scale=alt.Scale(domain=whats, range=shades)),
        tooltip=["rule", "what", "count()"],
    )
)  # fmt: skip
by_rule if len(usage) else None

# %% [markdown]
# ## The answer

# %%
recalls = query("select count(*) as number from recalls")["number"][0]
counts = ", ".join(f"{count} {kind.replace('_', ' ')}" for kind in KINDS if (count := (junk["junk"] == kind).sum()))
meeting = near.loc[near["is_same_place"], "similarity"]
alike = f" The two most alike that hold in one place have a similarity of {meeting.max():.2f};" if len(meeting) else ""
print(
    f"{len(junk)} of {len(usage)} memories look like junk{f' ({counts})' if counts else ''}, and"
    f" {(usage['times_shown'] == 0).sum()} were never shown in {recalls} recalls.{alike} {len(groups)} groups of"
    " memories say the same."
)
