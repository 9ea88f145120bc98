-- Memories that contradict each other, with the words of both, and what a person made of it.
-- Core SQL only: every reader can read a view without our code.

-- A pair is moot where one of the two no longer counts, though nobody decided between them.
create view conflicts as
select 'x' || c.id as number, m.uid as first_uid, m.text as first_text, c.quote as first_quote,
    date(m.valid_from) as first_day, o.uid as second_uid, o.text as second_text, c.other_quote as second_quote,
    date(o.valid_from) as second_day, p.name as project, c.found_by, c.reason, c.score,
    case when c.state = 'open' and (m.status <> 'active' or o.status <> 'active') then 'moot' else c.state end as state,
    c.resolution, c.note, c.resolved_by, c.found_at, c.resolved_at,
    round(julianday(coalesce(c.resolved_at, 'now')) - julianday(c.found_at), 1) as days_open,
    c.id as contradiction_id, c.memory_id, c.other_memory_id
from contradictions c
join memories m on m.id = c.memory_id
join memories o on o.id = c.other_memory_id
left join projects p on p.id = coalesce(m.project_id, o.project_id);
