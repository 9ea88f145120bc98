-- Projects that belong together, and why it is said so.
-- Core SQL only: every reader can read a view without our code.

-- Each pair stands in it twice, once from either side.
create view sister_projects as
with sides as (
    select project_id, other_project_id as sister_id, id as mention_id from project_mentions
    union all
    select other_project_id, project_id, id from project_mentions
)
select p.name as project, o.name as sister, count(*) as mentions, min(e.created_at) as first_at,
    group_concat('a session of ' || f.name || case m.how when 'in both' then ' has ' else ' names ' end || m.literal
        || case m.how when 'in both' then ', as one of ' || t.name || ' does' else '' end, '; ') as reason,
    s.project_id, s.sister_id
from sides s
join project_mentions m on m.id = s.mention_id
join projects p on p.id = s.project_id
join projects o on o.id = s.sister_id
join projects f on f.id = m.project_id
join projects t on t.id = m.other_project_id
join entries e on e.id = m.entry_id
group by s.project_id, s.sister_id;
