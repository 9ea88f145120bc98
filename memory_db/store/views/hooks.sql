-- What hooks did, how fast, and what each session was shown.
-- Core SQL only: every reader can read a view without our code.

-- A percentile is the smallest duration that so large a share of the runs did not exceed (nearest rank).
create view hook_speed as
with counted as (
    select hook, outcome, duration_ms, shown_tokens, started_at from hook_runs where duration_ms is not null
    union all
    select hook, 'all', duration_ms, shown_tokens, started_at from hook_runs where duration_ms is not null
),
ranked as (
    select *, row_number() over (partition by hook, outcome order by duration_ms) as place,
        count(*) over (partition by hook, outcome) as runs
    from counted
)
select hook, outcome, max(runs) as runs,
    round(min(case when place >= 0.5 * runs then duration_ms end), 2) as p50_ms,
    round(min(case when place >= 0.95 * runs then duration_ms end), 2) as p95_ms,
    round(max(duration_ms), 2) as max_ms, sum(shown_tokens) as shown_tokens, max(started_at) as last_at
from ranked group by hook, outcome;

-- Paths and patterns, which stand behind a colon, are left out of a reason, so that runs of one sort are one row.
create view hook_runs_by_reason as
with classed as (
    select hook, outcome, error, duration_ms, shown_tokens, started_at,
        case when outcome in ('asked', 'denied') and instr(reason, ': ') then substr(reason, 1, instr(reason, ': ') - 1)
            when instr(reason, ': ''') then substr(reason, 1, instr(reason, ': ''') - 1)
            else reason end as reason
    from hook_runs
),
ranked as (
    select *, row_number() over (partition by hook, outcome, reason order by duration_ms is null, duration_ms) as place,
        count(duration_ms) over (partition by hook, outcome, reason) as timed
    from classed
)
select hook, outcome, reason, max(error) as error, count(*) as runs,
    round(min(case when place >= 0.5 * timed then duration_ms end), 2) as p50_ms,
    round(min(case when place >= 0.95 * timed then duration_ms end), 2) as p95_ms,
    sum(shown_tokens) as shown_tokens, max(started_at) as last_at
from ranked group by hook, outcome, reason;

create view session_shown as
select r.session_uid, s.title as session, r.asked_at, r.surface, r.uid as recall_uid, h.rank, m.uid as memory_uid,
    e.uid as entry_uid, h.role, h.shown_reason, h.shown_tokens, v.title,
    exists (select 1 from evidence c where c.recall_id = r.id and c.memory_id = m.id and c.kind = 'cited'
        and c.withdrawn_at is null) as is_cited
from recalls r
join hits h on h.recall_id = r.id and h.rank is not null
left join sessions s on s.uid = r.session_uid
left join memory_versions v on v.id = h.memory_version_id
left join memories m on m.id = v.memory_id
left join entries e on e.id = h.entry_id
where r.session_uid is not null;
