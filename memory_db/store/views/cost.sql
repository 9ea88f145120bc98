-- What models cost: the agent's own calls, those that memory made, and the agent's share that was briefs.
-- Core SQL only: every reader can read a view without our code. Money is whole nanocents.

-- From when until when a price holds. One's own hides the library's from its day on; the library's first holds from ever.
create view price_periods as
select p.id as price_id, p.model,
    iif(p.source <> 'user' and lag(p.id) over by_model is null, '', p.valid_from) as holds_from,
    coalesce(lead(p.valid_from) over by_model, '9999') as holds_until,
    p.input_nanocents, p.output_nanocents, p.cache_write_5m_nanocents, p.cache_write_1h_nanocents,
    p.cache_read_nanocents, p.source
from prices p
where p.source = 'user' or not exists (select 1 from prices o
    where o.model = p.model and o.source = 'user' and o.valid_from <= p.valid_from)
window by_model as (partition by p.model order by p.valid_from);

create view call_costs as
select c.id as api_call_id, s.project_id, c.session_id, c.model, c.created_at,
    c.input_tokens, c.output_tokens, c.cache_write_5m_tokens, c.cache_write_1h_tokens, c.cache_read_tokens,
    c.input_tokens * p.input_nanocents + c.output_tokens * p.output_nanocents
        + c.cache_write_5m_tokens * p.cache_write_5m_nanocents + c.cache_write_1h_tokens * p.cache_write_1h_nanocents
        + c.cache_read_tokens * p.cache_read_nanocents as cost_nanocents
from api_calls c
join sessions s on s.id = c.session_id
left join price_periods p on p.model = c.model and p.holds_from <= c.created_at and c.created_at < p.holds_until;

create view model_call_costs as
select c.id as model_call_id, c.purpose, s.project_id, c.session_id, c.model, c.created_at, c.input_tokens,
    c.output_tokens,
    coalesce(c.input_tokens * p.input_nanocents + c.output_tokens * p.output_nanocents, c.cost_nanocents)
        as cost_nanocents
from model_calls c
left join sessions s on s.id = c.session_id
left join price_periods p on p.model = c.model and p.holds_from <= c.created_at and c.created_at < p.holds_until;

create view token_ledger as
select p.name as project, substr(c.created_at, 1, 10) as day, c.model, count(*) as calls,
    sum(c.input_tokens) as input_tokens, sum(c.output_tokens) as output_tokens,
    sum(c.cache_write_5m_tokens) as cache_write_5m_tokens, sum(c.cache_write_1h_tokens) as cache_write_1h_tokens,
    sum(c.cache_read_tokens) as cache_read_tokens, sum(c.cost_nanocents) as cost_nanocents,
    sum(c.cost_nanocents is null) as calls_without_price
from call_costs c left join projects p on p.id = c.project_id
group by c.project_id, day, c.model;

create view project_costs as
select project, count(distinct day) as days, sum(calls) as calls,
    sum(input_tokens + output_tokens + cache_write_5m_tokens + cache_write_1h_tokens + cache_read_tokens) as tokens,
    sum(output_tokens) as output_tokens, sum(cost_nanocents) as cost_nanocents,
    sum(calls_without_price) as calls_without_price
from token_ledger group by project;

-- Every recall that a model read: once at the input price, and as a cache has it: written by the call that read it
-- first, read again by each later call of the session until that is compacted.
create view brief_costs as
with shown as materialized (
    select r.id as recall_id, r.surface, r.project_id, r.session_uid, coalesce(r.session_id, s.id) as session_id,
        r.asked_at, r.shown_tokens
    from recalls r left join sessions s on s.uid = r.session_uid
    where r.shown_tokens > 0 and (r.surface in ('hook', 'session-start', 'pre-tool-use', 'mcp', 'ask', 'llm')
        or r.surface = 'brief' and r.session_uid is not null)
),
found as materialized (
    select shown.*,
        (select c.id from api_calls c where c.session_id = shown.session_id and c.created_at >= shown.asked_at
            order by c.created_at, c.id limit 1) as first_call_id,
        (select c.model from model_calls c where c.purpose = 'ask' and c.session_id = shown.session_id
            and c.created_at >= shown.asked_at order by c.created_at, c.id limit 1) as asked_model,
        (select min(e.created_at) from entries e where e.session_id = shown.session_id and e.kind = 'summary'
            and e.created_at > shown.asked_at) as compacted_at
    from shown
),
placed as materialized (
    select f.*, iif(a.cache_write_1h_tokens > a.cache_write_5m_tokens, '1h', iif(a.cache_write_5m_tokens > 0, '5m', ''))
            as cache,
        coalesce(a.model, f.asked_model, (select c.model from api_calls c where c.session_id = f.session_id
                group by c.model order by count(*) desc, c.model limit 1),
            (select c.model from api_calls c group by c.model order by count(*) desc, c.model limit 1)) as model,
        case when a.model is not null or f.asked_model is not null then 'the call that read it'
            when exists (select 1 from api_calls c where c.session_id = f.session_id) then 'its session'
            else 'used most in this file' end as model_source,
        (select count(*) from api_calls c where c.session_id = f.session_id and c.created_at > a.created_at
            and (f.compacted_at is null or c.created_at < f.compacted_at)) as later_calls
    from found f left join api_calls a on a.id = f.first_call_id
)
select x.recall_id, x.surface, x.project_id, x.session_id, x.session_uid, x.asked_at, x.model, x.model_source,
    x.shown_tokens, x.later_calls, x.shown_tokens * p.input_nanocents as cost_nanocents,
    x.shown_tokens * (case x.cache when '1h' then p.cache_write_1h_nanocents when '5m' then p.cache_write_5m_nanocents
        else p.input_nanocents end + x.later_calls * p.cache_read_nanocents) as cost_with_rereads_nanocents
from placed x
left join price_periods p on p.model = x.model and p.holds_from <= x.asked_at and x.asked_at < p.holds_until;

-- All spending by its source. What is part of another source is a share of it, and not to be added to it.
create view cost_by_source as
with parts as (
    select c.project_id, c.created_at, c.model,
        iif(s.parent_session_id is null and s.agent is null, 'session', 'subagent') as source, '' as part_of,
        c.input_tokens, c.output_tokens, c.cache_write_5m_tokens, c.cache_write_1h_tokens, c.cache_read_tokens,
        c.cost_nanocents, c.cost_nanocents as cost_with_rereads_nanocents
    from call_costs c join sessions s on s.id = c.session_id
    union all
    select c.project_id, c.created_at, c.model,
        iif(c.purpose in ('ask', 'judge', 'portrait'), c.purpose, 'extraction'), '',
        c.input_tokens, c.output_tokens, 0, 0, 0, c.cost_nanocents, c.cost_nanocents
    from model_call_costs c
    union all
    select b.project_id, b.asked_at, b.model, 'brief: ' || b.surface, iif(b.surface = 'ask', 'ask', 'session'),
        b.shown_tokens, 0, 0, 0, 0, b.cost_nanocents, b.cost_with_rereads_nanocents
    from brief_costs b
)
select p.name as project, substr(x.created_at, 1, 10) as day, x.model, x.source, x.part_of, count(*) as calls,
    sum(x.input_tokens) as input_tokens, sum(x.output_tokens) as output_tokens,
    sum(x.cache_write_5m_tokens) as cache_write_5m_tokens, sum(x.cache_write_1h_tokens) as cache_write_1h_tokens,
    sum(x.cache_read_tokens) as cache_read_tokens, sum(x.cost_nanocents) as cost_nanocents,
    sum(x.cost_with_rereads_nanocents) as cost_with_rereads_nanocents,
    sum(x.cost_nanocents is null) as calls_without_price
from parts x left join projects p on p.id = x.project_id
group by x.project_id, day, x.model, x.source, x.part_of;

-- Compactions whose model call is in no sum: the client that made it wrote its usage nowhere.
create view uncounted_compactions as
select e.id as entry_id, e.uid as entry_uid, s.id as session_id, s.uid as session_uid, p.name as project, e.created_at,
    s.agent_version
from entries e join sessions s on s.id = e.session_id left join projects p on p.id = s.project_id
where e.kind = 'summary' and e.role = 'system' and e.text = 'Conversation compacted'
    and not exists (select 1 from api_calls c
        where c.session_id = e.session_id and c.request_uid = 'cost-state' and c.created_at >= e.created_at);
