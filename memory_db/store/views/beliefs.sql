-- How surely each memory is believed, and how that came about.
-- Core SQL only: every reader can read a view without our code.

-- What one piece of evidence adds. A statement of weight 1 is the user's own; what an agent says weighs less.
-- The same text is knowledge/evidence_weights.py, for those who read a file that has not this view yet.
create view evidence_weights as
select memory_id, id as evidence_id, kind, direction, weight,
    iif(direction = 'for', weight, 0.0) as weight_for, iif(direction = 'against', weight, 0.0) as weight_against,
    direction = 'for' as is_for, direction = 'against' as is_against,
    kind in ('cited', 'used') as is_use, kind in ('stated', 'repeated') as is_said,
    case when kind = 'confirmed' then 2 when kind in ('stated', 'repeated') and weight >= 1 then 1 else 0 end as said,
    source, created_at, recorded_at, withdrawn_at
from evidence;

-- What a memory is given before any evidence, by its kind and by whose word it is (`said` of evidence_weights).
create view priors as
select k.name as kind, f.said, f.name as tier, k.prior_alpha * f.prior_factor as prior_alpha, k.prior_beta
from kinds k
join (select name, prior_factor, case name when 'explicit' then 2 when 'signals' then 1 when 'inferred' then 0 end as said
    from tiers) f;

create view memory_tiers as
select memory_id, uid, case said when 2 then 'explicit' when 1 then 'signals' else 'inferred' end as tier,
    case when lock_level = 'user' then 'locked by the user'
        when origin = 'user' then 'added by the user'
        when said = 2 then 'confirmed by the user'
        when said = 1 then 'said by the user in a session'
        else 'said or concluded by the agent or a model' end as reason
from (
    select m.id as memory_id, m.uid, m.lock_level, m.origin,
        iif(m.lock_level = 'user' or m.origin = 'user', 2,
            (select max(e.said) from evidence_weights e where e.memory_id = m.id and e.withdrawn_at is null)) as said
    from memories m
);

-- What speaks for and against each memory by now, summed.
create view evidence_sums as
select m.id as memory_id,
    coalesce((select sum(e.weight_for) from evidence_weights e
        where e.memory_id = m.id and e.is_for and e.withdrawn_at is null), 0) as weight_for,
    coalesce((select sum(e.weight_against) from evidence_weights e
        where e.memory_id = m.id and e.is_against and e.withdrawn_at is null), 0) as weight_against,
    (select count(*) from evidence_weights e
        where e.memory_id = m.id and e.is_for and e.withdrawn_at is null) as evidence_for,
    (select count(*) from evidence_weights e
        where e.memory_id = m.id and e.is_against and e.withdrawn_at is null) as evidence_against,
    (select count(*) from evidence_weights e
        where e.memory_id = m.id and e.is_use and e.withdrawn_at is null) as times_used
from memories m;

create view beliefs as
select memory_id, uid, kind, tier, prior_alpha, prior_beta, alpha, beta, alpha / (alpha + beta) as confidence,
    alpha * beta / ((alpha + beta) * (alpha + beta) * (alpha + beta + 1)) as variance, evidence_for, evidence_against,
    times_used
from (
    select m.id as memory_id, m.uid, m.kind, p.tier, p.prior_alpha, p.prior_beta, p.prior_alpha + s.weight_for as alpha,
        p.prior_beta + s.weight_against as beta, s.evidence_for, s.evidence_against, s.times_used
    from memories m
    join memory_tiers t on t.memory_id = m.id
    join priors p on p.kind = m.kind and p.tier = t.tier
    join evidence_sums s on s.memory_id = m.id
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
        0.0 as weight, 0.0 as weight_for, 0.0 as weight_against, null as source, m.created_at, iif(m.lock_level = 'user' or m.origin = 'user', 2, 0) as said
    from memories m
    union all
    select m.id, m.uid, m.kind, e.evidence_id, e.kind, e.direction, e.weight, e.weight_for, e.weight_against, e.source,
        e.created_at, iif(m.lock_level = 'user' or m.origin = 'user', 2, e.said)
    from memories m join evidence_weights e on e.memory_id = m.id where e.withdrawn_at is null
),
sums as (
    select *, row_number() over so_far - 1 as step,
        total(weight_for) over so_far as sum_for, total(weight_against) over so_far as sum_against,
        max(said) over so_far as most_said
    from steps
    window so_far as (partition by memory_id order by evidence_id > 0, created_at, evidence_id
        rows unbounded preceding)
)
select memory_id, uid, step, evidence_id, kind, direction, weight, source, created_at, tier, alpha, beta,
    alpha / (alpha + beta) as confidence
from (
    select s.*, p.tier, p.prior_alpha + s.sum_for as alpha, p.prior_beta + s.sum_against as beta
    from sums s join priors p on p.kind = s.memory_kind and p.said = s.most_said
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
        else 'promoted, but by now with a confidence of only ' end || printf('%.2f', confidence) as reason,
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
    select o.*, p.prior_alpha, p.prior_beta, p.tier
    from (
        select m.id as memory_id, m.uid, m.kind, total(iif(e.is_said, e.weight_for + e.weight_against, 0)) as weight_said,
            iif(m.origin = 'user', 2, max(iif(e.is_said, e.said, 0))) as said, sum(not e.is_said) as pieces,
            total(iif(e.is_said, 0, e.weight_for)) as weight_for,
            total(iif(e.is_said, 0, e.weight_against)) as weight_against
        from memories m join evidence_weights e on e.memory_id = m.id and e.withdrawn_at is null
        group by m.id having pieces > 0
    ) o
    join priors p on p.kind = o.kind and p.said = o.said
);

create view belief_calibration as
select tier, bin / 10.0 as from_confidence, (bin + 1) / 10.0 as to_confidence, count(*) as memories,
    sum(pieces) as pieces, avg(confidence_before) as mean_confidence, avg(held) as held_share,
    avg(held) - avg(confidence_before) as difference
from (select *, min(9, cast(confidence_before * 10 as integer)) as bin from belief_outcomes)
group by tier, bin;
