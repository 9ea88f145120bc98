-- What memory saved, against named other ways to know the same; less than nothing where it cost more.
-- Core SQL only: every reader can read a view without our code. Money is whole nanocents.

-- Each recall that a model read, against each other way. What would have been read instead is counted once a session:
-- it would have stayed there, as the brief did.
create view recall_savings as
with shown as materialized (
    select b.*, coalesce(b.session_uid, 'recall ' || b.recall_id) as reader,
        row_number() over (partition by coalesce(b.session_uid, 'recall ' || b.recall_id) order by b.asked_at, b.recall_id)
            as place
    from brief_costs b
),
origins as materialized (
    select distinct x.recall_id, x.reader, x.asked_at, e.session_id as origin_id
    from shown x join hits h on h.recall_id = x.recall_id and h.rank is not null
    left join memory_versions v on v.id = h.memory_version_id
    left join memory_sources q on q.memory_id = v.memory_id
    join entries e on e.id = coalesce(h.entry_id, q.entry_id)
    where e.session_id is not x.session_id
),
first_needed as materialized (
    select recall_id, origin_id, row_number() over (partition by reader, origin_id order by asked_at, recall_id) as place
    from origins
),
sizes as materialized (
    select e.session_id, (sum(length(cast(e.text as blob))) + 3) / 4 as tokens
    from entries e where e.session_id in (select origin_id from origins) group by e.session_id
),
whole as materialized (
    select f.recall_id, min(sum(z.tokens), 200000) as tokens
    from first_needed f join sizes z on z.session_id = f.origin_id where f.place = 1 group by f.recall_id
),
files as materialized (
    select x.recall_id, sum(i.tokens) as tokens
    from shown x join instruction_files i on i.id in (select coalesce(
            max(iif(o.seen_at <= x.asked_at, o.id, null)), min(o.id))
        from instruction_files o where o.project_id = x.project_id group by o.path)
    where x.place = 1 group by x.recall_id
),
others as (
    select x.*, 'nothing' as counterfactual, 'nothing' as instead, 0 as instead_tokens from shown x
    union all
    select x.*, 'instruction file',
        case when x.place > 1 then 'read before in this session'
            when f.tokens is not null then 'the instruction files seen in the project'
            when exists (select 1 from portraits q where q.kind = 'playbook' and q.project_id = x.project_id)
                then 'the project''s playbook' else 'none is known' end,
        iif(x.place > 1, 0, coalesce(f.tokens, (select q.tokens from portraits q where q.kind = 'playbook'
            and q.project_id = x.project_id order by q.id desc limit 1), 0))
    from shown x left join files f on f.recall_id = x.recall_id
    union all
    select x.*, 'whole sessions', iif(w.tokens is null, 'no other session, or read before', 'the sessions it came from'),
        coalesce(w.tokens, 0)
    from shown x left join whole w on w.recall_id = x.recall_id
)
select recall_id, project_id, session_uid, surface, asked_at, model, counterfactual, instead, instead_tokens,
    shown_tokens, instead_tokens * (cost_nanocents / shown_tokens) as instead_nanocents,
    instead_tokens * (cost_with_rereads_nanocents / shown_tokens) as instead_with_rereads_nanocents,
    cost_nanocents as brief_nanocents, cost_with_rereads_nanocents as brief_with_rereads_nanocents
from others;

create view savings as
with assumed (counterfactual, assumes) as (values
    ('nothing', 'Without memory the agent would have read nothing more, and have done as well'),
    ('instruction file', 'All that is remembered would stand in an instruction file, read whole once a session'),
    ('whole sessions', 'The sessions that the shown lines came from would be read again, once a session, up to 200,000 tokens a recall')
),
parts as (
    select r.project_id, substr(r.asked_at, 1, 10) as day, r.counterfactual, 1 as recalls, r.shown_tokens,
        r.instead_tokens, r.instead_nanocents, r.instead_with_rereads_nanocents, r.brief_nanocents,
        r.brief_with_rereads_nanocents, 0 as model_nanocents, r.brief_nanocents is null as without_price
    from recall_savings r
    union all
    select c.project_id, substr(c.created_at, 1, 10), a.counterfactual, 0, 0, 0, 0, 0, 0, 0, c.cost_nanocents,
        c.cost_nanocents is null
    from model_call_costs c cross join assumed a where c.purpose <> 'ask'
)
select p.name as project, x.day, x.counterfactual, a.assumes, sum(x.recalls) as recalls,
    sum(x.shown_tokens) as shown_tokens, sum(x.instead_tokens) as instead_tokens,
    sum(x.instead_nanocents) as instead_nanocents,
    sum(x.instead_with_rereads_nanocents) as instead_with_rereads_nanocents,
    sum(x.brief_nanocents) as brief_nanocents,
    sum(x.brief_with_rereads_nanocents) as brief_with_rereads_nanocents, sum(x.model_nanocents) as model_nanocents,
    sum(x.instead_nanocents) - sum(x.brief_nanocents) - sum(x.model_nanocents) as net_nanocents,
    sum(x.instead_with_rereads_nanocents) - sum(x.brief_with_rereads_nanocents) - sum(x.model_nanocents)
        as net_with_rereads_nanocents,
    sum(x.without_price) as without_price
from parts x join assumed a using (counterfactual) left join projects p on p.id = x.project_id
group by x.project_id, x.day, x.counterfactual;
