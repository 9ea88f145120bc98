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
# # What do people ask of a memory?
#
# What people who live with a memory keep asking, each with a figure of the file and the first rows of the ready
# question that answers it. The page `/-/memory/questions` has the same figures.

# %% tags=["parameters"]
database = None  # path of a memory-db file; None: the sample history, made when it is first needed

# %%
import altair as alt
import pandas as pd
from prepare import first_rows, with_recalls

from memory_db.pages.sixteen import QUESTIONS, figure_of

db = with_recalls(database)

# %% [markdown]
# ## The shares at a glance
#
# Those of the sixteen that are a share of something, each with its 95 % interval: wide where there is little to count.

# %%
figures = pd.DataFrame([{"question": f"{each.key} {each.words}", **figure_of(db, each)} for each in QUESTIONS])
shares = figures.reindex(columns=["question", "share", "low", "high"]).dropna()
base = alt.Chart(shares).encode(alt.Y("question:N", sort=None, title="question", axis=alt.Axis(labelLimit=420)))
points = base.mark_point(filled=True, size=60).encode(
    alt.X("share:Q", title="share, 95 % interval", axis=alt.Axis(format="%"))
)
base.mark_rule().encode(alt.X("low:Q", title="share, 95 % interval"), alt.X2("high:Q")) + points

# %% [markdown]
# ## C1: Why was this recalled, and why not that?

# %%
first_rows(db, "C1")

# %% [markdown]
# ## C2: How good is recall on my own questions?

# %%
first_rows(db, "C2")

# %% [markdown]
# ## C3: Do the thresholds fit my file?

# %%
first_rows(db, "C3")

# %% [markdown]
# ## C4: Is nothing shown when nothing fits?

# %%
first_rows(db, "C4")

# %% [markdown]
# ## C5: How much of it is junk, and what made it?

# %%
first_rows(db, "C5")

# %% [markdown]
# ## C6: What waits for me, and how long?

# %%
first_rows(db, "C6")

# %% [markdown]
# ## C7: What does each source cost?

# %%
first_rows(db, "C7")

# %% [markdown]
# ## C8: Which transcripts will be gone before they are read?

# %%
first_rows(db, "C8", without="path")  # a path is for the page alone

# %% [markdown]
# ## C9: Do hooks hold up the prompt?

# %%
first_rows(db, "C9")

# %% [markdown]
# ## C10: What is stale, and what contradicts what?

# %%
first_rows(db, "C10")

# %% [markdown]
# ## C11: Is memory obeyed, and does it help at all?

# %%
first_rows(db, "C11")

# %% [markdown]
# ## C12: Are secrets in it?

# %%
first_rows(db, "C12")

# %% [markdown]
# ## C13: Is what I deleted gone, everywhere?

# %%
first_rows(db, "C13")

# %% [markdown]
# ## C14: Is everything in its right project?

# %%
first_rows(db, "C14", without="path")  # a path is for the page alone

# %% [markdown]
# ## C15: Is the file ever locked?

# %%
first_rows(db, "C15")

# %% [markdown]
# ## C16: Can I take it with me?

# %%
first_rows(db, "C16")

# %% [markdown]
# ## The answer

# %%
with_something = sum(bool(figure_of(db, each)["number"]) for each in QUESTIONS)
print(f"{with_something} of {len(QUESTIONS)} questions have something to tell in this file.")
