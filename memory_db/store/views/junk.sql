-- What is kept and of no use, what made it, and what may no longer be so.
-- Core SQL only: every reader can read a view without our code. Numbers in it say from where on something counts.

-- What first brought a memory: the run and rule of its first candidate, else how it came into the file.
create view memory_origins as
select m.id as memory_id, m.uid, coalesce(r.method, m.origin) as method, coalesce(r.version, '') as version,
    coalesce(r.model, '') as model, coalesce(c.rule, '') as rule, r.id as extraction_run_id,
    (select min(e.created_at) from memory_sources s join entries e on e.id = s.entry_id where s.memory_id = m.id)
        as first_said_at,
    coalesce((select max(e.role = 'user') from memory_sources s join entries e on e.id = s.entry_id
        where s.memory_id = m.id), 0) as is_said_by_user,
    m.lock_level <> 'none' or t.tier = 'explicit' as is_protected
from memories m
join memory_tiers t on t.memory_id = m.id
left join memory_sources q on q.id = (
    select min(s.id) from memory_sources s where s.memory_id = m.id and s.candidate_id is not null)
left join candidates c on c.id = q.candidate_id
left join extraction_runs r on r.id = c.extraction_run_id;

-- From where on something counts as a sign of junk.
create view junk_limits as
select 10 as least_considered, 30 as least_age_days, 5 as least_shown, 3 as least_expected, 1 as least_against;

-- Memories in use that say word for word what another one says.
create view memory_twins as
with alike as materialized (
    select content_hash from memories group by content_hash having count(*) > 1
)
select m.id as memory_id, o.id as other_id
from alike a
cross join memories m on m.content_hash = a.content_hash and m.status = 'active'
cross join memories o on o.content_hash = a.content_hash and o.id <> m.id;

-- How often recalls considered each memory and showed it, and how often to others than agents: most recalls are by
-- agents, so those of others are counted. By memory, as the versions lie, nothing is sorted; the plus signs keep SQLite
-- from looking up by a column: the index of shown hits is read from end to end, and none of the wide rows.
create view memory_showings as
with to_others as materialized (
    select v.memory_id, count(*) as shown
    from hits h cross join memory_versions v on v.id = h.memory_version_id
    where h.rank is not null and +h.memory_version_id is not null
        and +h.recall_id in (select id from recalls where surface not in ('hook', 'mcp'))
    group by v.memory_id
),
counted as materialized (
    select v.memory_id, count(*) as times_considered, count(h.rank) as times_shown
    from memory_versions v cross join hits h on h.memory_version_id = v.id group by v.memory_id
)
select c.memory_id, c.times_considered, c.times_shown, coalesce(o.shown, 0) as times_shown_to_others
from counted c left join to_others o on o.memory_id = c.memory_id;

-- Memories that more evidence is against than for.
create view disbelieved_memories as
select memory_id, total(iif(direction = 'for', weight, 0)) as weight_for,
    total(iif(direction = 'against', weight, 0)) as weight_against
from evidence where withdrawn_at is null group by memory_id
having weight_against > weight_for and weight_against >= (select least_against from junk_limits);

-- How often a memory that agents are shown is cited or used.
create view citation_rate as
select s.shown, c.citations, 1.0 * c.citations / max(1, s.shown) as rate
from (
    select count(*) as shown from hits
    where rank is not null and +memory_version_id is not null
        and +recall_id in (select id from recalls where surface in ('hook', 'mcp'))
) s
cross join (
    select count(*) as citations from evidence
    where kind in ('cited', 'used') and withdrawn_at is null and recall_id is not null
) c;

-- Only equal words are seen here; `memory-db memory junk` also finds what says the same in other words.
create view junk_signs as
with echoes as (
    select t.memory_id, 'echo' as junk, min(r.asked_at) as shown_at, r.uid as recall_uid, g.first_said_at
    from memory_twins t
    cross join memory_origins g on g.memory_id = t.memory_id
    cross join memory_versions v on v.memory_id = t.other_id
    cross join hits h on h.memory_version_id = v.id and h.rank is not null
    cross join recalls r on r.id = h.recall_id
    where not g.is_said_by_user and r.asked_at < g.first_said_at
    group by t.memory_id
),
again as (
    select m.id as memory_id, count(*) as others, min(o.uid) as other_uid
    from memory_twins t
    cross join memories m on m.id = t.memory_id
    cross join memories o on o.id = t.other_id and o.status = 'active'
    where m.scope <> 'user' and (o.scope = 'user' or o.project_id = m.project_id and o.id < m.id)
        or m.scope = 'user' and o.scope = 'user' and o.id < m.id
    group by m.id
),
newest as (
    select max(asked_at) as moment from recalls
),
showings as materialized (
    select * from memory_showings
),
unseen as (
    select m.id as memory_id, u.times_considered, cast(julianday(n.moment) - julianday(v.recorded_from) as integer) as days
    from showings u
    join junk_limits l
    join memories m on m.id = u.memory_id
    join newest n
    join memory_versions v on v.memory_id = m.id and v.version = 1
    where m.status = 'active' and u.times_shown = 0 and u.times_considered >= l.least_considered
        and julianday(n.moment) - julianday(v.recorded_from) >= l.least_age_days
),
disbelieved as materialized (
    select * from disbelieved_memories
),
shown_though_disbelieved as materialized (
    select memory_id, times_shown - times_shown_to_others as shown from showings
    where memory_id in (select memory_id from disbelieved)
),
often_shown as materialized (
    select u.memory_id, u.times_shown - u.times_shown_to_others as shown
    from showings u join junk_limits l
    where u.times_shown >= l.least_shown and u.memory_id not in (select memory_id from disbelieved)
),
-- That nobody cites a memory says something only where agents cite at all: three citations were to be expected of it
-- by how often memories of this file are cited when they are shown, and by chance none comes once in twenty times.
ignored as (
    select d.memory_id, coalesce(s.shown, 0) as shown,
        printf('evidence against it weighs %.1f, for it %.1f', d.weight_against, d.weight_for) as reason
    from disbelieved d
    left join shown_though_disbelieved s on s.memory_id = d.memory_id
    union all
    select s.memory_id, s.shown,
        printf('shown to an agent %d times, never cited, used or confirmed; %.1f times were to be expected',
            s.shown, s.shown * c.rate)
    from citation_rate c cross join junk_limits l cross join often_shown s
    where s.shown >= l.least_shown and s.shown * c.rate >= l.least_expected
        and not exists (select 1 from evidence e where e.memory_id = s.memory_id
            and e.kind in ('cited', 'used', 'confirmed') and e.withdrawn_at is null)
)
select memory_id, junk, julianday(first_said_at) - julianday(shown_at) as number,
    'said ' || printf('%.1f', 24 * (julianday(first_said_at) - julianday(shown_at))) || ' hours after recall '
        || recall_uid || ' had shown these words' as reason
from echoes
union all
select memory_id, 'duplicate', others, 'the same words as ' || other_uid
    || iif(others > 1, ' and ' || (others - 1) || ' more', '') from again
union all
select memory_id, 'never_shown', times_considered,
    'considered in ' || times_considered || ' recalls and shown in none, ' || days || ' days old' from unseen
union all
select i.memory_id, 'ignored', i.shown, i.reason
from ignored i join memories m on m.id = i.memory_id and m.status = 'active';

-- What each sign was found on, and what made it.
create view junk_candidates as
select f.junk, m.uid, m.kind, m.title, p.name as project, f.reason, f.number, g.method, g.version, g.model, g.rule,
    g.extraction_run_id, g.is_protected, m.created_at, m.id as memory_id
from junk_signs f
join memories m on m.id = f.memory_id
join memory_origins g on g.memory_id = f.memory_id
left join projects p on p.id = m.project_id;

create view junk_by_origin as
with kept as (
    select g.method, g.version, g.model, g.rule, count(*) as memories
    from memory_origins g join memories m on m.id = g.memory_id where m.status = 'active'
    group by g.method, g.version, g.model, g.rule
),
junk as (
    select method, version, model, rule, count(distinct memory_id) as junk, sum(junk = 'echo') as echoes,
        sum(junk = 'duplicate') as duplicates, sum(junk = 'never_shown') as never_shown, sum(junk = 'ignored') as ignored
    from junk_candidates group by method, version, model, rule
)
select k.method, k.version, k.model, k.rule, k.memories, coalesce(j.junk, 0) as junk,
    round(1.0 * coalesce(j.junk, 0) / k.memories, 3) as share, coalesce(j.echoes, 0) as echoes,
    coalesce(j.duplicates, 0) as duplicates, coalesce(j.never_shown, 0) as never_shown, coalesce(j.ignored, 0) as ignored
from kept k left join junk j using (method, version, model, rule);

-- Ages count to the newest entry of the file, not to the clock: a file that nobody fed does not grow stale by itself.
-- An edit in a session in which the memory was said is most often the very change that it tells of.
create view stale_memories as
with newest as (
    select coalesce((select max(created_at) from entries), (select max(updated_at) from memories)) as moment
),
seen as materialized (
    select m.id as memory_id, m.scope, m.project_id, k.half_life_days,
        max(m.valid_from, coalesce((select max(e.created_at) from evidence e where e.memory_id = m.id
            and e.direction = 'for' and e.withdrawn_at is null), '')) as last_seen_at
    from memories m join kinds k on k.name = m.kind where m.status = 'active'
),
edits as materialized (
    select a.target, a.session_id, a.created_at, s.project_id
    from actions a join sessions s on s.id = a.session_id
    where a.tool in ('Edit', 'MultiEdit', 'Write', 'NotebookEdit') and coalesce(a.is_error, 0) = 0
        and a.target is not null
),
-- Grouped rather than distinct: so SQLite makes an index of the names before it joins them.
targets as materialized (
    select target, replace(target, rtrim(target, replace(target, '/', '')), '') as name
    from edits group by target
),
paths as materialized (
    select path, replace(path, rtrim(path, replace(path, '/', '')), '') as name
    from memory_paths group by path
),
same_file as materialized (
    select p.path, t.target from paths p join targets t on t.name = p.name
    where t.target = p.path or substr(t.target, -length(p.path) - 1) = '/' || p.path
),
changed as (
    select s.memory_id, p.path, count(*) as edits, max(d.created_at) as last_edit_at
    from seen s
    join memory_paths p on p.memory_id = s.memory_id
    join same_file f on f.path = p.path
    join edits d on d.target = f.target
        and d.created_at > s.last_seen_at and (s.scope = 'user' or d.project_id = s.project_id)
    where d.session_id not in (
        select e.session_id from memory_sources q join entries e on e.id = q.entry_id where q.memory_id = s.memory_id)
    group by s.memory_id, p.path
),
opposed as (
    select memory_id, other_memory_id from contradictions where state = 'open'
    union all select other_memory_id, memory_id from contradictions where state = 'open'
),
reasons as (
    select s.memory_id, 'not seen' as why,
        'not said or confirmed for ' || cast(julianday(n.moment) - julianday(s.last_seen_at) as integer)
            || ' days, its half-life is ' || cast(s.half_life_days as integer) || ' days' as reason
    from seen s join newest n where julianday(n.moment) - julianday(s.last_seen_at) > 2 * s.half_life_days
    union all
    select memory_id, 'file changed', path || ' was edited ' || edits || iif(edits = 1, ' time', ' times')
        || ' since, last on ' || date(last_edit_at) from changed
    union all
    select x.memory_id, 'contradicted', 'contradicted by ' || o.uid || ', not decided'
    from opposed x join memories o on o.id = x.other_memory_id and o.status = 'active'
)
select m.uid, m.kind, m.title, p.name as project, r.why, r.reason, s.last_seen_at, m.lock_level, m.id as memory_id
from reasons r
join seen s on s.memory_id = r.memory_id
join memories m on m.id = r.memory_id
left join projects p on p.id = m.project_id;
