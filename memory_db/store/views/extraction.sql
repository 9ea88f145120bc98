-- What models were asked to find, what that cost, what became of it, and what they have not read.
-- Core SQL only: every reader can read a view without our code.

create view extraction_costs as
select r.id as extraction_run_id, r.method as prompt, r.version, r.model, r.is_dry_run, r.started_at, r.finished_at,
    r.sessions_read as sessions, r.entries_read as entries,
    coalesce(c.calls, 0) as calls, coalesce(c.retries, 0) as retries, coalesce(c.failed_calls, 0) as failed_calls,
    coalesce(c.input_tokens, 0) as input_tokens, coalesce(c.output_tokens, 0) as output_tokens,
    case when c.calls is null then 0 else c.cost_nanocents end as cost_nanocents,
    coalesce(c.calls_without_price, 0) as calls_without_price,
    round(coalesce(c.duration_ms, 0), 1) as duration_ms,
    r.candidates_found as candidates,
    (select count(*) from candidates k join candidate_states s on s.candidate_id = k.id
        where k.extraction_run_id = r.id and s.action in ('add', 'merge', 'supersede')) as kept,
    r.error
from extraction_runs r
left join (
    select extraction_run_id, count(*) as calls, sum(attempt > 1) as retries, sum(error is not null) as failed_calls,
        sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens, sum(cost_nanocents) as cost_nanocents,
        sum(cost_nanocents is null) as calls_without_price, sum(duration_ms) as duration_ms
    from model_calls group by extraction_run_id
) c on c.extraction_run_id = r.id;

-- Which memories each prompt brought, or added to: by what was last decided of its candidates.
create view prompt_memories as
select distinct r.method as prompt, r.version, r.model, d.memory_id
from candidates c
join extraction_runs r on r.id = c.extraction_run_id
join decisions d on d.id = (select max(id) from decisions where candidate_id = c.id)
where d.action in ('add', 'merge', 'supersede') and d.memory_id is not null;

create view prompt_yield as
with run_costs as (
    select prompt, version, model, count(*) as runs, sum(sessions) as sessions, sum(calls) as calls,
        sum(failed_calls) as failed_calls, sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
        case when sum(calls_without_price) = 0 or sum(calls_without_price) < sum(calls)
            then sum(cost_nanocents) end as cost_nanocents
    from extraction_costs group by prompt, version, model
),
latest as materialized (
    select c.extraction_run_id, d.action, c.id in (
            select candidate_id from decisions where action = 'revert') as was_reverted
    from candidates c left join decisions d on d.id = (select max(id) from decisions where candidate_id = c.id)
),
outcomes as (
    select r.method as prompt, r.version, r.model, count(*) as candidates,
        sum(l.action in ('add', 'merge', 'supersede')) as kept, sum(l.action = 'duplicate') as duplicates,
        sum(l.action = 'reject') as rejected, sum(l.action = 'quarantine') as quarantined,
        sum(l.action is null or l.action in ('propose', 'contradicts')) as pending, sum(l.was_reverted) as reverted
    from latest l join extraction_runs r on r.id = l.extraction_run_id
    group by r.method, r.version, r.model
),
shown as materialized (
    select v.memory_id, count(*) as times_shown
    from memory_versions v cross join hits h on h.memory_version_id = v.id and h.rank is not null group by v.memory_id
),
cited as materialized (
    select memory_id, count(*) as times_cited from evidence where kind = 'cited' and withdrawn_at is null
    group by memory_id
),
uses as (
    select k.prompt, k.version, k.model, sum(coalesce(s.times_shown, 0)) as times_shown,
        sum(coalesce(e.times_cited, 0)) as times_cited
    from prompt_memories k left join shown s on s.memory_id = k.memory_id left join cited e on e.memory_id = k.memory_id
    group by k.prompt, k.version, k.model
)
select c.prompt, c.version, c.model, c.runs, c.sessions, c.calls, c.failed_calls, c.input_tokens, c.output_tokens,
    c.cost_nanocents, coalesce(o.candidates, 0) as candidates, coalesce(o.kept, 0) as kept,
    coalesce(o.duplicates, 0) as duplicates, coalesce(o.rejected, 0) as rejected,
    coalesce(o.quarantined, 0) as quarantined, coalesce(o.pending, 0) as pending, coalesce(o.reverted, 0) as reverted,
    case when o.kept > 0 then c.cost_nanocents / o.kept end as cost_nanocents_per_kept,
    coalesce(u.times_shown, 0) as times_shown, coalesce(u.times_cited, 0) as times_cited
from run_costs c
left join outcomes o on o.prompt = c.prompt and o.version = c.version and o.model is c.model
left join uses u on u.prompt = c.prompt and u.version = c.version and u.model is c.model;

create view dead_jobs as
select id as job_id, kind, key, attempts, last_error, created_at, changed_at as died_at
from jobs where state = 'dead';

-- Five failures in a row open the breaker: for a quarter of an hour nothing is asked of that model, then one call is.
create view model_health as
select model, calls, failed_calls, failures_in_row, last_error, last_failed_at, last_answered_at,
    failures_in_row >= 5 as is_open,
    case when failures_in_row >= 5
        then strftime('%Y-%m-%dT%H:%M:%fZ', last_failed_at, '+15 minutes') end as open_until
from (
    select m.model,
        (select count(*) from model_calls c where c.model = m.model) as calls,
        (select count(*) from model_calls c where c.model = m.model and c.error is not null) as failed_calls,
        (select count(*) from model_calls c where c.model = m.model and c.id > coalesce(
            (select a.id from model_calls a where a.model = m.model and a.error is null order by a.id desc limit 1),
            0)) as failures_in_row,
        (select f.error from model_calls f where f.model = m.model and f.error is not null
            order by f.id desc limit 1) as last_error,
        (select f.created_at from model_calls f where f.model = m.model and f.error is not null
            order by f.id desc limit 1) as last_failed_at,
        (select a.created_at from model_calls a where a.model = m.model and a.error is null
            order by a.id desc limit 1) as last_answered_at
    from (select distinct model from model_calls) m
);

create view unread_sessions as
select s.id as session_id, s.uid, s.title, p.name as project, s.format,
    counted.entries, coalesce(counted.entries_read, 0) as entries_read,
    counted.entries - coalesce(counted.entries_read, 0) as entries_unread,
    (select min(e.created_at) from session_entries se join entries e on e.id = se.entry_id
        where se.session_id = s.id) as started_at
from (
    select se.session_id, count(*) as entries,
        (select max(d.entry_count) from extraction_progress d
            where d.session_id = se.session_id and d.method not in ('rules', 'files')) as entries_read
    from session_entries se group by se.session_id
) counted
join sessions s on s.id = counted.session_id
left join projects p on p.id = s.project_id
where s.format <> 'repository' and counted.entries > coalesce(counted.entries_read, 0);
