-- How near to the beginning of a session each memory stands, why, and what that costs.

-- Layer 0 has room for so many memories of a project (and of the user) as the setting layer_0_cap says; what a person
-- put there by hand is not moved, and takes its place first. The rest goes by lock, importance, belief and age.
-- What the index memories_near holds is asked for in its words, so that a few memories are looked up at once.
create view layers as
with wanted as not materialized (
    select m.id as memory_id, m.uid, m.project_id, m.tokens, m.lock_level, m.importance, m.scope, m.layer_override, m.created_at,
        m.layer_override is not null as by_hand,
        case when m.layer_override is not null then m.layer_override
            when m.kind = 'episode' then iif(m.importance <= 2, 3, 2)
            when m.lock_level = 'user' or m.importance = 5 then 0
            when m.importance = 4 or m.scope = 'user' or m.lock_level = 'promoted' then 1
            when m.importance = 1 then 3
            else 2 end as layer,
        case when m.layer_override is not null then 'set by hand'
            when m.kind = 'episode' then 'an episode is never near'
            when m.lock_level = 'user' then 'locked by the user'
            when m.importance = 5 then 'importance of 5'
            when m.importance = 4 then 'importance of 4'
            when m.scope = 'user' then 'holds in every project'
            when m.lock_level = 'promoted' then 'locked by evidence'
            when m.importance = 1 then 'importance of 1'
            else 'everything else' end as reason
    from memories m where m.status = 'active'
),
nearest as materialized (
    select w.memory_id, w.by_hand, row_number() over (
        partition by w.project_id order by w.by_hand desc, w.lock_level = 'user' desc, w.importance desc,
            (select b.confidence from beliefs b where b.memory_id = w.memory_id) desc, w.created_at, w.memory_id) as place
    from wanted w where w.layer = 0
        and (w.lock_level <> 'none' or w.importance >= 4 or w.scope = 'user' or w.layer_override is not null)
),
moved as (
    select memory_id from nearest
    where by_hand = 0 and place > coalesce((select cast(value as integer) from settings where name = 'layer_0_cap'), 20)
)
select w.memory_id, w.uid,
    iif(w.memory_id in (select memory_id from moved), 1, w.layer) as layer,
    iif(w.memory_id in (select memory_id from moved), 'over the cap', w.reason) as reason,
    w.tokens, p.name as project
from wanted w left join projects p on p.id = w.project_id;

create view layer_costs as
select l.project, l.layer, count(*) as memories, sum(l.tokens) as tokens,
    sum(l.reason = 'over the cap') as over_the_cap,
    sum(c.times_shown) as times_shown, sum(c.times_used) as times_used,
    sum(l.tokens * c.times_shown) as shown_tokens,
    sum(iif(c.times_used = 0, l.tokens * c.times_shown, 0)) as never_cited_tokens
from layers l join current_memories c on c.memory_id = l.memory_id
group by l.project, l.layer;
