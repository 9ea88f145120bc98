-- What models cost.
-- Core SQL only: every reader can read a view without our code.

create view call_costs as
select c.id as api_call_id, s.project_id, c.session_id, c.model, c.created_at,
    c.input_tokens, c.output_tokens, c.cache_write_5m_tokens, c.cache_write_1h_tokens, c.cache_read_tokens,
    c.input_tokens * p.input_nanocents + c.output_tokens * p.output_nanocents
        + c.cache_write_5m_tokens * p.cache_write_5m_nanocents + c.cache_write_1h_tokens * p.cache_write_1h_nanocents
        + c.cache_read_tokens * p.cache_read_nanocents as cost_nanocents
from api_calls c
join sessions s on s.id = c.session_id
left join prices p on p.id = coalesce(
    (select q.id from prices q where q.model = c.model and q.valid_from <= c.created_at
        order by q.valid_from desc limit 1),
    (select q.id from prices q where q.model = c.model order by q.valid_from limit 1));

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
    round(sum(cost_nanocents) / 1e11, 2) as cost_usd, sum(calls_without_price) as calls_without_price
from token_ledger group by project;
