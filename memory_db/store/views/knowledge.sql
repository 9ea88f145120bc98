-- What is known, how surely, and what became of candidates.
-- Core SQL only: every reader can read a view without our code.

create view memory_usage as
select m.id as memory_id,
    (select count(*) from memory_versions v join hits h on h.memory_version_id = v.id
        where v.memory_id = m.id) as times_considered,
    (select count(*) from memory_versions v join hits h on h.memory_version_id = v.id
        where v.memory_id = m.id and h.rank is not null) as times_shown,
    (select max(r.asked_at) from memory_versions v join hits h on h.memory_version_id = v.id
        join recalls r on r.id = h.recall_id where v.memory_id = m.id and h.rank is not null) as last_shown_at
from memories m;

create view current_memories as
select m.uid, m.kind, m.title, m.text, m.scope, p.name as project, m.importance, m.lock_level,
    round(b.confidence, 3) as confidence, b.evidence_for, b.evidence_against,
    u.times_shown, b.times_used, u.last_shown_at,
    (select count(*) from memory_sources s where s.memory_id = m.id) as quotes,
    m.tokens, m.valid_from, m.created_at, m.id as memory_id
from memories m
join beliefs b on b.memory_id = m.id
join memory_usage u on u.memory_id = m.id
left join projects p on p.id = m.project_id
where m.status = 'active';

create view candidate_states as
select c.id as candidate_id, c.uid, c.kind, c.rule, c.scope, p.name as project, c.title, c.quote,
    d.action, d.reason, d.decided_by, d.decided_at, m.uid as memory_uid, c.created_at
from candidates c
left join projects p on p.id = c.project_id
left join decisions d on d.id = (select max(id) from decisions where candidate_id = c.id)
left join memories m on m.id = d.memory_id;

create view candidate_funnel as
select rule, kind, count(*) as candidates,
    sum(action in ('add', 'merge', 'supersede')) as kept,
    sum(action = 'duplicate') as duplicates,
    sum(action = 'reject') as rejected,
    sum(action = 'quarantine') as quarantined,
    sum(action = 'propose' or action is null) as pending
from candidate_states group by rule, kind;

-- The same correction is rarely given in the same words: two that share two keys count as one.
-- A key that more than 50 corrections share says too little of any of them: it makes no two alike.
create view corrections_given as
with correction_keys as (
    select distinct m.id as memory_id, lower(k.value) as key
    from memories m, json_each(m.keys) k where m.kind = 'correction' and m.status = 'active'
),
telling_keys as materialized (
    select memory_id, key
    from (select memory_id, key, count(*) over (partition by key) as shared_by from correction_keys)
    where shared_by between 2 and 50
),
alike as materialized (
    select a.memory_id, b.memory_id as other_id
    from telling_keys a join telling_keys b on b.key = a.key and b.memory_id <> a.memory_id
    group by a.memory_id, b.memory_id having count(*) >= 2
    union all
    select id, id from memories where kind = 'correction' and status = 'active'
),
oldest_first as materialized (
    select a.memory_id, a.other_id, o.uid,
        row_number() over (partition by a.memory_id order by o.created_at, o.id) as place
    from alike a join memories o on o.id = a.other_id
    order by a.memory_id, place
),
given as materialized (
    select o.memory_id, count(distinct s.entry_id) as times_given, count(distinct e.session_id) as sessions,
        group_concat(distinct o.uid) as uids_alike,
        min(e.created_at) as first_given_at, max(e.created_at) as last_given_at
    from oldest_first o
    left join memory_sources s on s.memory_id = o.other_id
    left join entries e on e.id = s.entry_id
    group by o.memory_id
)
select m.uid, m.title, m.text, m.scope, p.name as project, g.times_given, g.sessions, g.uids_alike,
    f.uid as first_uid, g.first_given_at, g.last_given_at, m.id as memory_id
from given g
join oldest_first f on f.memory_id = g.memory_id and f.place = 1
join memories m on m.id = g.memory_id
left join projects p on p.id = m.project_id;

create view never_recalled as
select c.* from current_memories c where c.times_shown = 0;

create view shown_never_cited as
select c.* from current_memories c where c.times_shown > 0 and c.times_used = 0;
