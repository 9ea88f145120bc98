-- What feedback on one memory says of those near it: for looking at. No belief is made of it.
-- Core SQL only: every reader can read a view without our code.

-- The best way from each memory to those within three hops: one way, not the sum of all, for in a thicket of edges the
-- same feedback would count once for each path through it. A memory of more than 50 edges passes nothing on: what is
-- near everything says little of anything. Three steps, not a recursion: they end in any circle, and the search around
-- one memory looks at nothing else (a table function, unlike a subquery, may depend on the row before it).
create view propagated_evidence as
select m.id as memory_id, m.uid, near.value ->> 0 as from_memory_id, near.value ->> 1 as hops,
    near.value ->> 2 as share, near.value ->> 3 as feedback, (near.value ->> 2) * (near.value ->> 3) as amount
from memories m, json_each((
    with one as materialized (
        select iif(e.from_memory_id = m.id, e.to_memory_id, e.from_memory_id) as id, 0.5 * k.spread * e.score as share,
            max(abs(k.spread * e.score))
        from edges e join edge_kinds k on k.name = e.kind
        where (e.from_memory_id = m.id or e.to_memory_id = m.id) and e.ended_at is null and k.spread <> 0
        group by 1
    ),
    first as materialized (
        select * from one where (select count(*) from edges s
            where (s.from_memory_id = one.id or s.to_memory_id = one.id) and s.ended_at is null) <= 50
    ),
    two as materialized (
        select iif(e.from_memory_id = n.id, e.to_memory_id, e.from_memory_id) as id,
            n.share * 0.5 * k.spread * e.score as share, max(abs(n.share * k.spread * e.score))
        from first n cross join edges e on e.from_memory_id = n.id or e.to_memory_id = n.id
        join edge_kinds k on k.name = e.kind
        where e.ended_at is null and k.spread <> 0
        group by 1
    ),
    second as materialized (
        select * from two where (select count(*) from edges s
            where (s.from_memory_id = two.id or s.to_memory_id = two.id) and s.ended_at is null) <= 50
    ),
    three as materialized (
        select iif(e.from_memory_id = n.id, e.to_memory_id, e.from_memory_id) as id,
            n.share * 0.5 * k.spread * e.score as share, max(abs(n.share * k.spread * e.score))
        from second n cross join edges e on e.from_memory_id = n.id or e.to_memory_id = n.id
        join edge_kinds k on k.name = e.kind
        where e.ended_at is null and k.spread <> 0
        group by 1
    ),
    best as materialized (
        select id, hops, share, max(abs(share)) from (
            select id, 1 as hops, share from one
            union all select id, 2, share from two
            union all select id, 3, share from three
        ) where id <> m.id group by id
    )
    select json_group_array(json_array(id, hops, share, feedback)) from (
        select b.id, b.hops, b.share, (select sum(iif(v.direction = 'for', v.weight, -v.weight)) from evidence v
            where v.memory_id = b.id and v.withdrawn_at is null and v.kind not in ('stated', 'repeated')) as feedback
        from best b
    ) where feedback is not null
)) near;

create view propagated_beliefs as
select b.memory_id, b.uid, b.kind, b.confidence, sum(max(p.amount, 0.0)) as alpha_nearby,
    sum(max(-p.amount, 0.0)) as beta_nearby, count(*) as memories_nearby,
    (b.alpha + sum(max(p.amount, 0.0))) / (b.alpha + b.beta + sum(abs(p.amount))) as confidence_nearby
from beliefs b join propagated_evidence p on p.memory_id = b.memory_id
group by b.memory_id;
