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
# # Is memory worth it?
#
# Three answers that do not need each other: what came of what was shown; what sessions with memory have over those that
# were left without it by lot; and what it cost and saved in money and in waiting. Each with how sure it is.

# %% tags=["parameters"]
database = None  # path of a memory-db file; None: the sample history, made when it is first needed

# %%
import altair as alt
import pandas as pd
from prepare import of_how_many, open_file, with_intervals

from memory_db.evaluation.uplift import FEWEST_SESSIONS, uplifts
from memory_db.models import savings
from memory_db.notebook import query
from memory_db.notebook.theme import BAD, GOOD, OFF, palette
from memory_db.store.money import NANOCENTS_PER_USD, dollars

db = open_file(database)

# %% [markdown]
# ## What came of what was shown?
#
# Every showing of a memory to an agent counts once: of use where a reply cited, used or confirmed it, wrong where it
# was contradicted or the user had to say it again, else ignored.

# %%
signs = ["of use", "ignored", "wrong"]
showings = query(
    "select substr(asked_at, 1, 10) as day, surface, case when wrong or corrected_again then 'wrong'"
    " when cited or used or confirmed then 'of use' else 'ignored' end as sign, count(*) as showings"
    " from showings group by 1, 2, 3"
)
by_surface = showings.pivot_table(index="surface", columns="sign", values="showings", aggfunc="sum", fill_value=0)
by_surface = by_surface.reindex(columns=signs, fill_value=0).astype(int).reset_index()
by_surface["shown"] = by_surface[signs].sum(axis=1)
with_intervals(by_surface, "of use", "shown").round(3) if len(by_surface) else print(
    "Nothing was shown to an agent yet: hooks bring the first (`memory-db install`)."
)

# %%
shades = alt.Scale(domain=signs, range=[palette()[name] for name in (GOOD, OFF, BAD)])
wide = min(620, 48 * max(1, pd.to_datetime(showings["day"]).dt.to_period("W").nunique()))
weeks = showings.assign(week=pd.to_datetime(showings["day"]).dt.to_period("W").dt.start_time)
alt.Chart(weeks[["week", "sign", "showings"]], title="What came of showings, by week", width=wide).mark_bar().encode(
    x=alt.X("week:O", timeUnit="yearmonthdate", title="week from", axis=alt.Axis(format="%d %b")),
    y=alt.Y("sum(showings)", title="showings", axis=alt.Axis(tickMinStep=1)),
    color=alt.Color("sign", sort=signs, scale=shades, title=None),
    tooltip=["sign", "sum(showings)"],
) if len(weeks) else None

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
amounts = {name: helped[name].map("{:,.2f}".format) for name in ("briefed", "held out", "difference", "low", "high")
           if len(helped)}  # fmt: skip
helped.assign(**amounts) if len(helped) else print(
    "No data yet: no session was held out. `memory-db settings holdout_share 0.2` begins an experiment; it takes"
    f" {FEWEST_SESSIONS} sessions in each arm before a difference has an interval."
)

# %%
known = helped.dropna(subset=["low"]).copy() if len(helped) else helped
known["colour"] = [palette()[{"yes": GOOD, "no": BAD}.get(each, OFF)] for each in known.get("helps", [])]
dots = alt.Chart(known, width=420, height=40).encode(color=alt.Color("colour:N", scale=None))
alt.layer(
    dots.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", title="briefed minus held out, 95 % interval"), x2="high:Q"),
    dots.mark_point(filled=True, size=50, opacity=1).encode(x="difference:Q", tooltip=list(known.columns)),
    dots.mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(0), color=alt.value("gray")),
).facet(row=alt.Row("measure:N", title=None, header=alt.Header(labelAngle=0, labelAlign="left"))).resolve_scale(
    x="independent"
) if len(known) else print(f"No interval yet: it takes {FEWEST_SESSIONS} sessions in each arm.")

# %% [markdown]
# ## What did it cost, and what did it save?
#
# What briefs and memory's own calls cost, against what the same knowledge would have cost in other ways: a range, never
# one number. Notebook 05 goes into it.

# %%
ways = savings.ways(db)
money = pd.DataFrame(
    [
        {
            "instead of memory": way.counterfactual, "saved_nanocents": way.instead_nanocents,
            "briefs_nanocents": way.brief_nanocents, "own_calls_nanocents": way.model_nanocents,
            "net_nanocents": way.net_nanocents, "net_with_rereads_nanocents": way.net_with_rereads_nanocents,
        }
        for way in ways
    ]
)  # fmt: skip
money if len(money) else print("No data yet: no recall was read by a model, and memory called none.")

# %%
order = list(savings.ORDER)
net = money.get(["instead of memory", "net_nanocents", "net_with_rereads_nanocents"], pd.DataFrame())
net = net.assign(once=net.get("net_nanocents", 0) / NANOCENTS_PER_USD) if len(net) else net
net = net.assign(again=net["net_with_rereads_nanocents"] / NANOCENTS_PER_USD) if len(net) else net
bars = alt.Chart(net, width=480, height=90).encode(
    y=alt.Y("instead of memory:N", sort=order, title="instead of memory")
)
ends = alt.X("once:Q", title="net, US dollars: from read once to read again", axis=alt.Axis(format="$.2f"))
alt.layer(
    bars.mark_rule(strokeWidth=3).encode(x=ends, x2="again:Q"),
    bars.mark_point(filled=True, size=60, opacity=1).encode(x=ends),
    bars.mark_point(filled=False, size=60, opacity=1).encode(x="again:Q"),
    bars.mark_rule(strokeDash=[4, 3]).encode(x=alt.datum(0), color=alt.value("gray")),
).properties(title="Saved, net, instead of each other way") if len(net) else None

# %% [markdown]
# ## How long did anybody wait for it?
#
# Milliseconds of the hook that answers a prompt.

# %%
waited = query(
    "select outcome, runs, p50_ms, p95_ms, max_ms from hook_speed where hook = 'user-prompt' order by runs desc"
)
waited if len(waited) else print("No hook has run yet.")

# %% [markdown]
# ## The answer

# %%
total = with_intervals(by_surface[["of use", "shown"]].sum().to_frame().T, "of use", "shown") if len(by_surface) else []
shown = "".join(
    f"Of {row['shown']:.0f} showings {row['share']:.0%} were of use ({of_how_many(row['low'], row['high'])}). "
    for row in (total.to_dict("records") if len(total) else [])
)
low, high = savings.net_range(ways) if ways else (0, 0)
spent = f"Memory saved between {dollars(low, 2)} and {dollars(high, 2)}, net. " if ways else ""
verdicts = {word: list(helped["measure"][helped["helps"] == word]) for word in ("yes", "no")} if len(helped) else {}
names = "; ".join(f"{word}: {', '.join(some).replace('_', ' ')}" for word, some in verdicts.items() if some)
print(
    f"{shown}{spent}"
    + (f"Does it help, by {len(helped)} measures over sessions held out by lot: {names or 'unsure'}." if len(helped)
       else "Whether it helps nobody knows yet: 0 sessions were held out.")
)  # fmt: skip
