-- What waits for a person, for how long, and every decision on a candidate.
-- Core SQL only: every reader can read a view without our code.

create view decision_log as
select d.id as decision_id, 'c' || c.id as item, d.action, m.uid as memory_uid, d.reason,
    json_extract(d.effects, '$.would') as would, json_extract(d.effects, '$.waits_for') as waits_for,
    d.reverts_id, (select max(r.id) from decisions r where r.reverts_id = d.id) as reverted_by_id,
    d.decided_by, d.decided_at, c.kind, c.text, p.name as project, c.rule, e.method || '@' || e.version as prompt,
    c.extraction_run_id, c.uid as candidate_uid, c.id as candidate_id, d.effects
from decisions d
join candidates c on c.id = d.candidate_id
join extraction_runs e on e.id = c.extraction_run_id
left join projects p on p.id = c.project_id
left join memories m on m.id = d.memory_id;

create view review_queue as
select 'c' || c.id as item, case d.action when 'quarantine' then 'quarantined' else 'candidate' end as sort, c.kind,
    p.name as project, c.text, c.quote, m.uid as other_uid, m.text as other_text, d.reason,
    json_extract(d.effects, '$.would') as would, coalesce(json_extract(d.effects, '$.waits_for'), 'a person') as waits_for,
    w.since as waiting_since, round(julianday('now') - julianday(w.since), 1) as age_days
from decisions d
join candidates c on c.id = d.candidate_id
join (
    select candidate_id, min(decided_at) as since from decisions where action in ('propose', 'quarantine')
    group by candidate_id
) w on w.candidate_id = c.id
left join memories m on m.id = d.memory_id
left join projects p on p.id = c.project_id
where d.action in ('propose', 'quarantine')
    and not exists (select 1 from decisions l where l.candidate_id = d.candidate_id and l.id > d.id)
union all
select 'p' || r.id, 'proposal', r.kind, p.name, m.text,
    coalesce((select s.quote from memory_sources s where s.memory_id = m.id order by s.id desc limit 1), ''),
    coalesce(o.uid, m.uid), coalesce(o.text, nullif(r.text, '')), r.reason, r.kind, 'a person', r.created_at,
    round(julianday('now') - julianday(r.created_at), 1)
from proposals r
join memories m on m.id = r.memory_id
left join memories o on o.id = r.other_memory_id
left join projects p on p.id = m.project_id
where r.state = 'open' and (r.kind not in ('supersede', 'merge') or (m.status = 'active' and o.status = 'active'))
union all
select 'x' || c.id, 'contradiction', m.kind, p.name, m.text, c.quote, o.uid, o.text, c.reason, null, 'a person', c.found_at,
    round(julianday('now') - julianday(c.found_at), 1)
from contradictions c
join memories m on m.id = c.memory_id
join memories o on o.id = c.other_memory_id
left join projects p on p.id = coalesce(m.project_id, o.project_id)
where c.state = 'open' and m.status = 'active' and o.status = 'active';

create view review_waiting as
select sort, count(*) as waiting, min(waiting_since) as oldest_since, max(age_days) as oldest_age_days
from review_queue where waits_for = 'a person' group by sort;
