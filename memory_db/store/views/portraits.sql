-- Which documents made from memories no longer say what the memories say.
-- Core SQL only: every reader can read a view without our code.

-- Kinds that a document takes up: an episode is no knowledge, and how a user works belongs to the user's portrait.
create view portrait_states as
with newest as (
    select *, row_number() over (partition by kind, project_id order by id desc) as place from portraits
),
counted as (
    select n.id, n.kind, n.project_id, n.tokens, n.model, n.created_at,
        (select count(*) from portrait_sources s where s.portrait_id = n.id) as sources,
        (select count(*) from portrait_sources s join memory_versions v on v.id = s.memory_version_id
            join memories m on m.id = v.memory_id
            where s.portrait_id = n.id and m.status = 'active' and v.recorded_to is not null) as changed,
        (select count(*) from portrait_sources s join memory_versions v on v.id = s.memory_version_id
            join memories m on m.id = v.memory_id where s.portrait_id = n.id and m.status <> 'active') as gone,
        case n.kind when 'user' then (select count(*) from memories m
                join memory_versions v on v.memory_id = m.id and v.version = 1 and v.recorded_from > n.created_at
                where m.scope = 'user' and m.status = 'active' and m.kind <> 'episode')
            else (select count(*) from memories m
                join memory_versions v on v.memory_id = m.id and v.version = 1 and v.recorded_from > n.created_at
                where m.project_id = n.project_id and m.scope = 'project' and m.status = 'active'
                    and m.kind <> 'episode') end as came
    from newest n where n.place = 1
)
select c.id as portrait_id, c.kind, p.name as project, c.tokens, c.sources, c.changed, c.gone, c.came,
    c.changed + c.gone + c.came > 0 as is_stale,
    case when c.changed + c.gone + c.came = 0 then 'as the memories are'
        else trim(iif(c.changed > 0, c.changed || ' changed, ', '') || iif(c.gone > 0, c.gone || ' gone, ', '')
            || iif(c.came > 0, c.came || ' came since, ', ''), ', ') end as reason,
    c.model, c.created_at, c.project_id
from counted c left join projects p on p.id = c.project_id;
