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
# # What does a team know?
#
# Files of many people asked as one: which corrections recur, where conventions disagree, what one person knows and
# others learn again, and what it costs, each with a 95 % interval. Without a catalogue it is about eight invented
# developers. It needs the extra `fleet`.

# %% tags=["parameters"]
database = None  # path of a catalogue (docs/fleet.md) or of one file; None: eight invented developers
scheduler = "synchronous"  # or the address of a Dask cluster
teams = None  # team of each person, such as {"anna": "tides"}; None: those of the invented, else nobody has one

# %%
import altair as alt
import pandas as pd
from prepare import kept_figures, of_how_many, with_intervals

from memory_db.evaluation.scale import Wanted, extrapolated, shown
from memory_db.fleet import Question, ask
from memory_db.fleet import knowing as team_knows
from memory_db.fleet.knowing import days_between, ends_in_all, in_all, persons_of
from memory_db.notebook.team import open_team
from memory_db.notebook.theme import palette
from memory_db.store.money import NANOCENTS_PER_USD, dollars

team = open_team(database, scheduler=scheduler)
team_of = teams or team.teams
memories = team_knows.known(team.fleet)
people = persons_of(memories)
named = {person: f"{person} ({team_of[person]})" if person in team_of else person for person in people}
pd.DataFrame(
    [(named[person], sum(each.person == person for each in memories)) for person in people],
    columns=["person", "memories"],
) if memories else print("No memory yet: `memory-db file fleet import` takes in transcripts.")  # fmt: skip

# %% [markdown]
# ## Which corrections recur across people?
#
# Two corrections are the same where the gate would take one for a duplicate of the other. What several people must say
# to their agents is for a file that all agents read.


# %%
def as_dots(found, title, row, share):  # a row for each, with a dot for its share and a line for its interval
    rows = alt.Chart(found, title=title, width=420).encode(alt.Y("who", title=row, sort=None))
    ends = alt.X("low", title=share, scale=alt.Scale(domain=[0, 1]), axis=alt.Axis(format="%"))
    dots = rows.mark_point(filled=True, size=60, opacity=1).encode(x="share", tooltip=["who", "part", "whole"])
    return rows.mark_rule(strokeWidth=2).encode(x=ends, x2="high") + dots


def shares_of(found):  # shares by name as a table with intervals
    rows = [(who, each.part, each.whole) for who, each in found.items()]
    return with_intervals(pd.DataFrame(rows, columns=["who", "part", "whole"]), "part", "whole")


again, by_person = team_knows.recurring(memories)
corrections = pd.DataFrame(
    [(group[0].text, len(persons_of(group)), ", ".join(persons_of(group)), days_between(group)) for group in again],
    columns=["correction", "people", "who", "days from first to last"],
)
corrections if len(corrections) else print("No correction was made by two people.")

# %%
shares = shares_of({named[person]: each for person, each in by_person.items()})
as_dots(
    shares, "Corrections that somebody else made too, with 95 % intervals", "person", "share of a person's corrections"
) if len(shares) else print("No correction yet.")

# %% [markdown]
# ## Which conventions disagree between repositories?
#
# Every convention of a repository against those of the others that are about the same: either they agree, or both
# cannot hold at once. Somebody who works in both has to know, and so has an agent.

# %%
apart, by_pair = team_knows.disagreeing(memories)
disagreements = pd.DataFrame(
    [(f"{each.one.project}, {each.one.person}", each.one.text, f"{each.other.project}, {each.other.person}",
      each.other.text) for each in apart],
    columns=["in", "it is said", "but in", "it is said there"],
)  # fmt: skip
disagreements if len(disagreements) else print("No two repositories disagree on a convention.")

# %%
pairs = shares_of({f"{one} and {other}": each for (one, other), each in by_pair.items()})
as_dots(
    pairs, "Conventions that disagree, with 95 % intervals", "two repositories", "share of those that can be compared"
) if len(pairs) else print("No convention of two repositories can be compared.")

# %% [markdown]
# ## What does one person know, and others learn again?
#
# What is known of a project, apart from how somebody likes to work: a dot for each person, on the day they had it.

# %%
learned, known_before = team_knows.learned_again(memories)
lessons = pd.DataFrame(
    [(group[0].text, each.project, named[each.person], each.day) for group in learned for each in group],
    columns=["what", "project", "person", "day"],
)
rows = alt.Chart(lessons, title="Who had it first, and who learned it again", width=420, height=alt.Step(36))
rows = rows.encode(
    x=alt.X("day", type="temporal", title="day"),
    y=alt.Y("what", title="what was learned", sort=None, axis=alt.Axis(labelLimit=300, minExtent=310)),
)
lines = rows.mark_line(strokeWidth=1, color=palette()["edge"]).encode(detail="what")
dots = rows.mark_point(filled=True, size=80, opacity=1)
lines + dots.encode(color=alt.Color("person", title="person", sort=None)) if len(lessons) else print(
    "Nobody has learned again what somebody else had."
)

# %%
before = shares_of({named[person]: each for person, each in known_before.items()})
as_dots(
    before, "What somebody else had before, with 95 % intervals", "person", "share of what a person learned of projects"
) if len(before) else print("Nothing was learned of a project yet.")

# %% [markdown]
# One question to all: what somebody else would have answered.

# %%
asked = ask(team.fleet, Question(learned[0][0].text), now=team.now) if learned else None
pd.DataFrame(
    [(each.rank, round(each.score, 3), each.kind, each.project, " ".join(each.text.split()))
     for each in asked.answer.shown[:5]],
    columns=["rank", "score", "kind", "project", "text"],
) if asked and asked.answer.shown else print("Nobody is asked: nothing was learned twice.")  # fmt: skip

# %% [markdown]
# ## What does it cost, by team?
#
# Sessions with their subagents, as their models are priced. Who has the harder work nobody knows.

# %%
by_team = team_knows.costs(team.fleet, team_of) if team_of else []
spent = pd.DataFrame(
    [(of, each.name, team_of.get(each.name, each.name), each.sessions, each.total_nanocents, each.mean_nanocents,
      *each.ends_usd) for of, found in (("team", by_team), ("person", team_knows.costs(team.fleet)))
     for each in found if each.sessions],
    columns=["of", "who", "team", "sessions", "total_nanocents", "mean_nanocents", "low", "high"],
).astype({"low": float, "high": float})  # fmt: skip
interval = [of_how_many(low, high, "${:.2f}") for low, high in zip(spent["low"], spent["high"], strict=True)]
spent.drop(columns=["team", "low", "high"]).assign(interval=interval) if len(spent) else print(
    "No call of a model is known yet."
)

# %%
drawn = spent.assign(mean=spent["mean_nanocents"] / NANOCENTS_PER_USD).sort_values(["of", "team"])
base = alt.Chart(drawn[["of", "who", "team", "sessions", "low", "mean", "high"]], width=420).encode(
    y=alt.Y("who", title="name", sort=None), color=alt.Color("team", title="team" if team_of else "person")
)
ends = alt.X("low", title="US dollars of a session, mean and 95 % interval", axis=alt.Axis(format="$.2f"))
alt.layer(
    base.mark_rule(strokeWidth=2).encode(x=ends.scale(zero=True), x2="high"),
    base.mark_point(filled=True, size=60, opacity=1).encode(x="mean", tooltip=["who", "sessions", "mean"]),
).facet(row=alt.Row("of", title=None, sort=["team", "person"])).resolve_scale(y="independent").properties(
    title="What sessions cost"
) if len(drawn) else None

# %% [markdown]
# ## What would a larger team take?
#
# From what `python -m bench fleet` measured, and what is assumed beside it: nobody has run it at this size.

# %%
figures = kept_figures("fleet")
assumed, follows = extrapolated(figures, Wanted(persons=500, entries=100_000_000, cores=64)) if figures else ([], [])
as_table = [(each.what, shown(each.value), each.unit, each.source, each.how) for each in assumed]
pd.DataFrame(as_table, columns=["assumption", "value", "unit", "from", "how"]) if figures else print(
    "No figures of the fleet are kept here: a clone has them, and `python -m bench fleet` measures them."
)

# %%
as_table = [(each.what, shown(each.value), each.unit, each.how) for each in follows]
pd.DataFrame(as_table, columns=["500 people, 100 million entries", "value", "unit", "how"]) if figures else None

# %%
sizes = [
    (cores, persons, extrapolated(figures, Wanted(persons, persons * 200_000, cores))[1][0].value)
    for cores in (2, 16, 64) for persons in (8, 50, 125, 250, 500)
] if figures else []  # fmt: skip
alt.Chart(
    pd.DataFrame(sizes, columns=["cores", "people", "seconds"]),
    title="A question to all, extrapolated, 200,000 entries a person", width=420,
).mark_line(point=True).encode(
    x=alt.X("people", type="quantitative", title="people, a shard each"),
    y=alt.Y("seconds", type="quantitative", title="seconds until the answer", scale=alt.Scale(type="log")),
    color=alt.Color("cores", type="ordinal", title="cores"),
) if sizes else None  # fmt: skip

# %% [markdown]
# ## The answer

# %%
counted = {
    "corrections were made by somebody else too": by_person.values(),
    "comparable conventions of two repositories disagree": by_pair.values(),
    "things learned of projects somebody else had before": known_before.values(),
}
parts = [
    f"{in_all(shares).part} of {in_all(shares).whole} {what} ({of_how_many(*ends_in_all(shares))})"
    for what, shares in counted.items()
]
parts += [
    f"a session of {each.name} cost {dollars(round(each.mean_nanocents), 2)} ({of_how_many(*each.ends_usd, '${:.2f}')})"
    for each in by_team
]
print(f"Of {len(people)} people: {'; '.join(parts)}.")
