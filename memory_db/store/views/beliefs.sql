-- How surely each memory is believed, and how that came about.
-- Core SQL only: every reader can read a view without our code.

-- A statement of weight 1 is the user's own; what an agent says weighs less.
create view memory_tiers as
select memory_id, uid,
    case when lock_level = 'user' or origin = 'user' or said = 2 then 'explicit'
        when said = 1 then 'signals' else 'inferred' end as tier,
    case when lock_level = 'user' then 'locked by the user'
        when origin = 'user' then 'added by the user'
        when said = 2 then 'confirmed by the user'
        when said = 1 then 'said by the user in a session'
        else 'said or concluded by the agent or a model' end as reason
from (
    select m.id as memory_id, m.uid, m.lock_level, m.origin,
        (select max(case when e.kind = 'confirmed' then 2
            when e.kind in ('stated', 'repeated') and e.weight >= 1 then 1 else 0 end)
            from evidence e where e.memory_id = m.id and e.withdrawn_at is null) as said
    from memories m
);

create view beliefs as
select memory_id, uid, kind, tier, prior_alpha, prior_beta, alpha, beta, alpha / (alpha + beta) as confidence,
    alpha * beta / ((alpha + beta) * (alpha + beta) * (alpha + beta + 1)) as variance, evidence_for, evidence_against,
    times_used
from (
    select m.id as memory_id, m.uid, m.kind, f.name as tier, k.prior_alpha * f.prior_factor as prior_alpha, k.prior_beta,
        k.prior_alpha * f.prior_factor + coalesce((select sum(e.weight) from evidence e
            where e.memory_id = m.id and e.direction = 'for' and e.withdrawn_at is null), 0) as alpha,
        k.prior_beta + coalesce((select sum(e.weight) from evidence e
            where e.memory_id = m.id and e.direction = 'against' and e.withdrawn_at is null), 0) as beta,
        (select count(*) from evidence e
            where e.memory_id = m.id and e.direction = 'for' and e.withdrawn_at is null) as evidence_for,
        (select count(*) from evidence e
            where e.memory_id = m.id and e.direction = 'against' and e.withdrawn_at is null) as evidence_against,
        (select count(*) from evidence e
            where e.memory_id = m.id and e.kind in ('cited', 'used') and e.withdrawn_at is null) as times_used
    from memories m
    join kinds k on k.name = m.kind
    join memory_tiers t on t.memory_id = m.id
    join tiers f on f.name = t.tier
);

-- The square root by Newton's rule, four times from above: never too small, so that no interval is too narrow. Grouped,
-- so that a belief is worked out once, and only for the memories that are asked for.
create view belief_intervals as
with b as (select * from beliefs group by memory_id)
select memory_id, uid, kind, tier, confidence, deviation,
    max(0.0, confidence - 1.645 * deviation) as low, min(1.0, confidence + 1.645 * deviation) as high
from (select *, (e + variance / e) / 2 as deviation
    from (select *, (d + variance / d) / 2 as e
        from (select *, (c + variance / c) / 2 as d
            from (select *, (a + variance / a) / 2 as c from (select *, 0.08 + 2.5 * variance as a from b)))));

-- What is withdrawn does not count, so it is no step; a confirmation lifts the prior from then on.
create view belief_history as
with steps as (
    select m.id as memory_id, m.uid, m.kind as memory_kind, 0 as evidence_id, 'prior' as kind, null as direction,
        0.0 as weight, null as source, m.created_at, iif(m.lock_level = 'user' or m.origin = 'user', 2, 0) as said
    from memories m
    union all
    select m.id, m.uid, m.kind, e.id, e.kind, e.direction, e.weight, e.source, e.created_at,
        case when m.lock_level = 'user' or m.origin = 'user' or e.kind = 'confirmed' then 2
            when e.kind in ('stated', 'repeated') and e.weight >= 1 then 1 else 0 end
    from memories m join evidence e on e.memory_id = m.id where e.withdrawn_at is null
),
sums as (
    select *, row_number() over so_far - 1 as step,
        total(iif(direction = 'for', weight, 0)) over so_far as weight_for,
        total(iif(direction = 'against', weight, 0)) over so_far as weight_against,
        case max(said) over so_far when 2 then 'explicit' when 1 then 'signals' else 'inferred' end as tier
    from steps
    window so_far as (partition by memory_id order by evidence_id > 0, created_at, evidence_id
        rows unbounded preceding)
)
select memory_id, uid, step, evidence_id, kind, direction, weight, source, created_at, tier, alpha, beta,
    alpha / (alpha + beta) as confidence
from (
    select s.*, k.prior_alpha * f.prior_factor + s.weight_for as alpha, k.prior_beta + s.weight_against as beta
    from sums s join kinds k on k.name = s.memory_kind join tiers f on f.name = s.tier
);

create view preferences as
select m.uid, m.kind, t.tier, m.title, m.text, m.scope, p.name as project, round(b.confidence, 3) as confidence,
    m.lock_level, m.importance,
    (select count(*) from evidence e where e.memory_id = m.id and e.kind in ('stated', 'repeated')
        and e.withdrawn_at is null) as times_given,
    coalesce((select max(e.created_at) from evidence e where e.memory_id = m.id and e.kind in ('stated', 'repeated')
        and e.withdrawn_at is null), m.created_at) as last_given_at,
    t.reason, m.tokens, m.project_id, m.id as memory_id
from memories m
join memory_tiers t on t.memory_id = m.id
join beliefs b on b.memory_id = m.id
left join projects p on p.id = m.project_id
where m.status = 'active'
    and (m.kind in ('preference', 'correction', 'behaviour') or m.kind = 'convention' and m.scope = 'user')
order by case t.tier when 'explicit' then 0 when 'signals' then 1 else 2 end,
    iif(t.tier = 'explicit', 0, -b.confidence), last_given_at desc, m.id;

-- Nothing that counts says any longer where it comes from.
create view memories_without_source as
select m.uid, m.kind, m.title, p.name as project, m.status, round(b.confidence, 3) as confidence,
    (select count(*) from evidence e where e.memory_id = m.id and e.kind in ('stated', 'repeated')) as sources_gone,
    (select max(e.withdrawn_at) from evidence e where e.memory_id = m.id) as last_withdrawn_at, m.id as memory_id
from memories m
join beliefs b on b.memory_id = m.id
left join projects p on p.id = m.project_id
where not exists (select 1 from evidence e where e.memory_id = m.id and e.withdrawn_at is null
    and e.kind in ('stated', 'repeated', 'confirmed'));

-- Said in three sessions (or confirmed on as many days) and believed by nine to one: ask whether it is to be locked.
create view lock_suggestions as
select uid, title, proposal,
    case proposal when 'lock' then 'seen ' || sightings || ' times independently, confidence '
        else 'promoted, and by now believed with a confidence of only ' end || printf('%.2f', confidence) as reason,
    sightings, confidence, lock_level, memory_id
from (
    select m.uid, m.title, m.lock_level, m.id as memory_id, b.confidence,
        (select count(distinct coalesce('session ' || n.session_id, e.source))
            from evidence e left join entries n on n.id = e.entry_id
            where e.memory_id = m.id and e.withdrawn_at is null and e.direction = 'for'
                and e.kind in ('stated', 'repeated', 'confirmed')) as sightings,
        iif(m.lock_level = 'none', 'lock', 'unlock') as proposal
    from memories m join beliefs b on b.memory_id = m.id
    where m.status = 'active' and m.lock_level <> 'user'
)
where proposal = 'lock' and confidence >= 0.9 and sightings >= 3 or proposal = 'unlock' and confidence < 0.7;

-- What was believed of a memory by how it came to be known alone, beside what came of it: feedback is left out of the
-- confidence that it is to be compared with, and a lock too, for a person sets it because of what came of a memory.
create view belief_outcomes as
select memory_id, uid, kind, tier, prior_alpha, prior_beta, weight_said,
    (prior_alpha + weight_said) / (prior_alpha + weight_said + prior_beta) as confidence_before, weight_for,
    weight_against, pieces,
    case when weight_for > weight_against then 1.0 when weight_for < weight_against then 0.0 else 0.5 end as held
from (
    select o.*, k.prior_alpha * f.prior_factor as prior_alpha, k.prior_beta, f.name as tier
    from (
        select m.id as memory_id, m.uid, m.kind, m.origin,
            total(iif(e.kind in ('stated', 'repeated'), e.weight, 0)) as weight_said,
            max(e.kind in ('stated', 'repeated') and e.weight >= 1) as said_by_user,
            sum(e.kind not in ('stated', 'repeated')) as pieces,
            total(iif(e.kind not in ('stated', 'repeated') and e.direction = 'for', e.weight, 0)) as weight_for,
            total(iif(e.kind not in ('stated', 'repeated') and e.direction = 'against', e.weight, 0))
                as weight_against
        from memories m join evidence e on e.memory_id = m.id and e.withdrawn_at is null
        group by m.id having pieces > 0
    ) o
    join kinds k on k.name = o.kind
    join tiers f on f.name = case when o.origin = 'user' then 'explicit'
        when o.said_by_user then 'signals' else 'inferred' end
);

create view belief_calibration as
select tier, bin / 10.0 as from_confidence, (bin + 1) / 10.0 as to_confidence, count(*) as memories,
    sum(pieces) as pieces, avg(confidence_before) as mean_confidence, avg(held) as held_share,
    avg(held) - avg(confidence_before) as difference
from (select *, min(9, cast(confidence_before * 10 as integer)) as bin from belief_outcomes)
group by tier, bin;
