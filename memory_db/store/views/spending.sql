-- Spending far above the usual, and briefs above their budget.
-- Core SQL only: every reader can read a view without our code. Money is whole nanocents.

-- Days and sessions of more than three times the median of the fourteen before them (five at least) and a dollar; calls
-- of more than ten times the median of the fifty before them by the same model (twenty at least) and half a dollar.
create view cost_anomalies as
with recursive spent as materialized (
    select 'day' as level, '' as series, substr(created_at, 1, 10) as subject, null as project_id,
        substr(created_at, 1, 10) as began_at, sum(cost_nanocents) as cost_nanocents
    from call_costs group by subject
    union all
    select 'session', '', root.uid, root.project_id, min(c.created_at), sum(c.cost_nanocents)
    from call_costs c join sessions s on s.id = c.session_id
    join sessions root on root.id = coalesce(s.parent_session_id, s.id) group by root.id
),
calls as materialized (
    select 'call' as level, model as series, cast(api_call_id as text) as subject, project_id, created_at as began_at,
        cost_nanocents, row_number() over (partition by model order by created_at, api_call_id) as place
    from call_costs where cost_nanocents is not null
),
numbered as materialized (
    select *, row_number() over (partition by level order by began_at, subject) as place,
        14 as before, 5 as fewest, 3 as times, 100000000000 as floor_nanocents
    from spent where cost_nanocents is not null
    union all
    select *, 50, 20, 10, 50000000000 from calls
),
suspects as materialized (
    select * from numbered where cost_nanocents > floor_nanocents and place > fewest
),
steps(step) as (select 1 union all select step + 1 from steps where step < 50),
priors as materialized (
    select x.level, x.series, x.subject, n.cost_nanocents,
        row_number() over (partition by x.level, x.series, x.subject order by n.cost_nanocents) as place,
        count(*) over (partition by x.level, x.series, x.subject) as compared_with
    from suspects x cross join steps t
    join numbered n on n.level = x.level and n.series = x.series and n.place = x.place - t.step
    where t.step <= x.before
),
usual as materialized (
    select level, series, subject, compared_with, sum(cost_nanocents) / count(*) as usual_nanocents
    from priors where place in ((compared_with + 1) / 2, (compared_with + 2) / 2) group by level, series, subject
)
select x.level, x.subject, p.name as project, x.began_at, x.cost_nanocents, u.usual_nanocents,
    round(1.0 * x.cost_nanocents / nullif(u.usual_nanocents, 0), 1) as times_the_usual, u.compared_with
from suspects x join usual u using (level, series, subject) left join projects p on p.id = x.project_id
where u.compared_with >= x.fewest and x.cost_nanocents > x.times * u.usual_nanocents;

create view brief_overruns as
select r.id as recall_id, r.uid, r.surface, p.name as project, r.asked_at,
    json_extract(r.context, '$.budget_tokens') as budget_tokens, r.shown_tokens
from recalls r left join projects p on p.id = r.project_id
where r.shown_tokens > json_extract(r.context, '$.budget_tokens');
