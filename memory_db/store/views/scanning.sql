-- What scans put aside.
-- Core SQL only: every reader can read a view without our code.

-- A memory that would steer an agent waits here; `memory-db memory restore` takes it into use again.
create view quarantined_memories as
select m.uid, m.kind, m.title, m.text, p.name as project, substr(m.change_reason, 14) as rule, m.changed_by,
    m.updated_at as quarantined_at, m.id as memory_id
from memories m left join projects p on p.id = m.project_id
where m.status = 'retired' and m.change_reason like 'quarantined: %';
