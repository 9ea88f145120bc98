-- What was done in sessions, and what went wrong there.
-- Core SQL only: every reader can read a view without our code.

create view session_summaries as
select s.id as session_id, s.uid, s.title, p.name as project, s.agent, s.git_branch, s.format,
    min(e.created_at) as started_at, max(e.created_at) as ended_at,
    count(*) as entries, sum(e.kind = 'prompt') as prompts, sum(e.image_count) as images,
    (select count(*) from actions a where a.session_id = s.id) as actions,
    (select count(*) from actions a where a.session_id = s.id and a.is_error = 1) as errors,
    (select sum(c.input_tokens + c.output_tokens + c.cache_write_5m_tokens + c.cache_write_1h_tokens
        + c.cache_read_tokens) from api_calls c where c.session_id = s.id) as tokens
from sessions s
join session_entries se on se.session_id = s.id
join entries e on e.id = se.entry_id
left join projects p on p.id = s.project_id
group by s.id, s.uid;

create view workflow_fingerprint as
select p.name as project,
    case when a.tool in ('Read', 'NotebookRead', 'LS') then 'read'
        when a.tool in ('Edit', 'MultiEdit', 'Write', 'NotebookEdit') then 'write'
        when a.tool in ('Grep', 'Glob', 'WebSearch', 'WebFetch', 'ToolSearch') then 'search'
        when a.tool in ('Bash', 'BashOutput', 'KillShell') then 'shell'
        when a.tool in ('Task', 'Agent') then 'delegate'
        when a.tool like 'mcp\_\_%' escape '\' then 'mcp'
        else 'other' end as activity,
    count(*) as actions, sum(a.is_error = 1) as errors,
    round(1.0 * count(*) / sum(count(*)) over (partition by s.project_id), 3) as share_of_project
from actions a
join sessions s on s.id = a.session_id
left join projects p on p.id = s.project_id
group by s.project_id, activity;

create view command_habits as
select p.name as project, c.command, count(*) as times, sum(c.is_error = 1) as errors,
    count(distinct c.session_id) as sessions, max(c.created_at) as last_used_at
from (
    select a.session_id, a.is_error, a.created_at,
        case when instr(substr(a.target, instr(a.target || ' ', ' ') + 1) || ' ', ' ') > 1
            then substr(a.target, 1, instr(a.target || ' ', ' ')
                + instr(substr(a.target, instr(a.target || ' ', ' ') + 1) || ' ', ' ') - 1)
            else a.target end as command
    from actions a where a.tool = 'Bash' and a.target <> ''
) c
join sessions s on s.id = c.session_id
left join projects p on p.id = s.project_id
group by s.project_id, c.command;

create view file_hotspots as
select p.name as project, a.target as path, count(*) as touches,
    sum(a.tool in ('Edit', 'MultiEdit', 'Write', 'NotebookEdit')) as edits,
    count(distinct a.session_id) as sessions, max(a.created_at) as last_touched_at
from actions a
join sessions s on s.id = a.session_id
left join projects p on p.id = s.project_id
where a.tool in ('Read', 'Edit', 'MultiEdit', 'Write', 'NotebookEdit', 'NotebookRead')
group by s.project_id, a.target
having count(*) >= 2;

create view error_fixes as
select f.id as action_id, p.name as project, f.session_id, f.tool, f.target, f.excerpt as error, f.created_at,
    g.id as fixed_by_action_id,
    (select group_concat(distinct c.target) from actions c
     where c.session_id = f.session_id and c.id > f.id and c.id < g.id
        and c.tool in ('Edit', 'MultiEdit', 'Write', 'NotebookEdit')) as changed_between
from actions f
join sessions s on s.id = f.session_id
left join projects p on p.id = s.project_id
left join actions g on g.id = (select min(l.id) from actions l
    where l.session_id = f.session_id and l.tool = f.tool and l.target = f.target and l.id > f.id and l.is_error = 0)
where f.is_error = 1;

-- The line of an error's output that tells most: the first that names a failure.
create view error_lines as
with outputs as materialized (
    select id as action_id, excerpt || char(10) as output from actions
    where is_error = 1 and excerpt not like 'The user doesn%'
),
-- Each word stands behind the output too, so that instr always finds one; there it tells nothing.
told as materialized (
    select action_id, output, min(
        instr(lower(output) || 'error', 'error'), instr(lower(output) || 'failed', 'failed'),
        instr(lower(output) || 'denied', 'denied'), instr(lower(output) || 'not found', 'not found')) as place
    from outputs
),
-- Taking away from the right what is no line's end leaves the lines before.
cut as materialized (
    select action_id, substr(output, 1 + length(
        rtrim(substr(output, 1, place), replace(substr(output, 1, place), char(10), '')))) as rest
    from told where place <= length(output)
),
lines as materialized (
    select action_id, trim(substr(rest, 1, instr(rest, char(10)) - 1), ' ' || char(13)) as line,
        length(rest) - instr(rest, char(10)) as characters_after
    from cut
)
select action_id, case when line like 'E  %' then ltrim(substr(line, 3)) else line end as line, characters_after
from lines;

create view recurring_errors as
with recurring as materialized (
    select t.line as error, x.project, count(*) as times, count(distinct x.session_id) as sessions,
        sum(x.fixed_by_action_id is not null) as times_fixed,
        group_concat(distinct x.changed_between) as cured_by_changing, max(x.created_at) as last_seen_at
    from error_lines t join error_fixes x on x.action_id = t.action_id
    group by x.project, t.line
    having count(distinct x.session_id) > 1
),
beginnings as materialized (
    select distinct error, substr(error, 1, 60) as beginning from recurring
),
-- Full text finds the few memories with the beginning's whole words: comparing all of them would take minutes.
phrases as materialized (
    select error, beginning, coalesce(case when length(error) > 60
        then nullif(rtrim(beginning, replace(beginning, ' ', '')), '') end, beginning) as phrase
    from beginnings
),
remembered as materialized (
    select b.error, group_concat(m.text, char(10)) as fixes
    from phrases b
    cross join memory_fts f on f.memory_fts match 'text : "' || replace(b.phrase, '"', '""') || '"'
    join memory_versions v on v.id = f.rowid and v.recorded_to is null
    join memories m on m.id = v.memory_id
    where m.kind = 'fix' and m.status = 'active' and instr(m.text, b.beginning) > 0
    group by b.error
)
select r.error, r.project, r.times, r.sessions, r.times_fixed, r.cured_by_changing, b.fixes as remembered_fix,
    r.last_seen_at
from recurring r left join remembered b on b.error = r.error;
