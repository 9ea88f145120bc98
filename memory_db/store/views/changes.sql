-- What became of memories, a row for each of their versions.
-- Core SQL only: every reader can read a view without our code.

-- A person who puts other words in a memory's place corrects it, whether the words stand in it or in its successor.
create view memory_changes as
select v.recorded_from as changed_at,
    case when b.id is null then 'added'
        when v.status = 'active' and b.status <> 'active' then 'restored'
        when v.status = 'retired' and b.status <> 'retired' then 'retired'
        when v.changed_by = 'user' and (v.text <> b.text or v.status = 'superseded' and b.status <> 'superseded')
            then 'corrected'
        when v.status = 'superseded' and b.status <> 'superseded' then 'superseded'
        when v.text <> b.text then 'reworded'
        else 'changed' end as what,
    m.uid, v.version, v.kind, p.name as project, v.title, v.text, v.status, v.changed_by, v.change_reason,
    m.id as memory_id
from memory_versions v
join memories m on m.id = v.memory_id
left join memory_versions b on b.memory_id = v.memory_id and b.version = v.version - 1
left join projects p on p.id = v.project_id;
