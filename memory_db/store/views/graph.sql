-- How memories stand to each other, what is wrong with the graph, and which edges proved useful.

create view memory_neighbours as
select e.memory_id, m.uid, e.other_id, o.uid as other_uid, o.title as other_title, e.kind, e.direction, e.score, e.reason,
    e.created_by, e.edge_id
from (
    select from_memory_id as memory_id, to_memory_id as other_id, kind, 'to' as direction, score, reason, created_by,
        id as edge_id from edges where ended_at is null
    union all
    select to_memory_id, from_memory_id, kind, 'from', score, reason, created_by, id from edges where ended_at is null
) e
join memories m on m.id = e.memory_id
join memories o on o.id = e.other_id and o.status = 'active';

create view graph_orphans as
select m.id as memory_id, m.uid, m.title, m.created_at from memories m
where m.status = 'active'
    and not exists (select 1 from edges e where e.from_memory_id = m.id and e.ended_at is null)
    and not exists (select 1 from edges e where e.to_memory_id = m.id and e.ended_at is null);

-- What supersedes leads to what is outdated by its nature; every other edge should join memories that hold.
create view graph_dead_links as
select e.id as edge_id, f.uid as from_uid, t.uid as to_uid, e.kind,
    iif(t.status <> 'active', t.uid, f.uid) as dead_uid, iif(t.status <> 'active', t.status, f.status) as status
from edges e join memories f on f.id = e.from_memory_id join memories t on t.id = e.to_memory_id
where e.ended_at is null and e.kind <> 'supersedes' and (f.status <> 'active' or t.status <> 'active');

create view graph_hubs as
select memory_id, uid, count(*) as edges, count(distinct other_id) as neighbours from memory_neighbours
group by memory_id having count(*) >= 20;

-- Rules draw their edges again when a text changes; what a person drew has to be looked at again.
create view graph_stale_links as
select e.id as edge_id, m.uid, o.uid as other_uid, e.kind, e.created_at as drawn_at, v.recorded_from as changed_at
from edges e
join memory_versions v on v.memory_id in (e.from_memory_id, e.to_memory_id) and v.recorded_to is null
    and v.recorded_from > e.created_at
join memory_versions w on w.memory_id = v.memory_id and w.recorded_from <= e.created_at
    and w.recorded_to > e.created_at and w.text <> v.text
join memories m on m.id = v.memory_id and m.status = 'active'
join memories o on o.id = iif(e.from_memory_id = m.id, e.to_memory_id, e.from_memory_id)
where e.ended_at is null and e.created_by <> 'rules' and e.kind <> 'supersedes';

create view graph_doubtful_links as
select e.id as edge_id, m.uid, o.uid as other_uid, e.kind, b.confidence
from edges e
join memories m on m.id = iif(e.kind = 'depends_on', e.from_memory_id, e.to_memory_id) and m.status = 'active'
join memories o on o.id = iif(e.kind = 'depends_on', e.to_memory_id, e.from_memory_id)
join beliefs b on b.memory_id = o.id
where e.ended_at is null and e.kind in ('depends_on', 'supports') and b.confidence < 0.5;

create view graph_audit as
select 'orphan' as problem, uid, 'no edge leads to it or from it' as detail from graph_orphans
union all
select 'dead link', iif(dead_uid = from_uid, to_uid, from_uid), kind || ' joins it with ' || dead_uid || ', which is ' || status
from graph_dead_links
union all
select 'hub', uid, edges || ' edges: what is near everything says little of anything' from graph_hubs
union all
select 'stale link', uid, 'its text changed after a person joined it with ' || other_uid || ' (' || kind || ')'
from graph_stale_links
union all
select 'doubtful link', uid, iif(kind = 'depends_on', 'depends on ', 'is supported by ') || other_uid || ', confidence '
    || printf('%.2f', confidence)
from graph_doubtful_links;

-- How often both ends of an edge were shown together, and one of them was cited or used then. The learned weight is the
-- mean of a Beta that begins even, at (1, 1).
create view edge_usefulness as
with shown as materialized (
    select distinct h.recall_id, v.memory_id from hits h join memory_versions v on v.id = h.memory_version_id
    where h.rank is not null
),
used as materialized (
    select distinct recall_id, memory_id from evidence
    where kind in ('cited', 'used') and recall_id is not null and withdrawn_at is null
),
together as materialized (
    select e.id as edge_id, a.recall_id,
        exists (select 1 from used u where u.recall_id = a.recall_id
            and u.memory_id in (e.from_memory_id, e.to_memory_id)) as was_used
    from edges e join shown a on a.memory_id = e.from_memory_id
    join shown b on b.memory_id = e.to_memory_id and b.recall_id = a.recall_id
)
select e.id as edge_id, f.uid as from_uid, t.uid as to_uid, e.kind, e.score, count(*) as times_shown_together,
    sum(g.was_used) as times_used, (1.0 + sum(g.was_used)) / (2 + count(*)) as learned_weight
from together g join edges e on e.id = g.edge_id
join memories f on f.id = e.from_memory_id join memories t on t.id = e.to_memory_id
group by e.id;
