-- Everything that can be derived, in core SQL only: the sqlite3 shell, pandas
-- and Datasette without our plugins can read every view.

-- Scoring -------------------------------------------------------------------

create view newest_profiles as
select p.* from profiles p
where p.version = (select max(version) from profiles where name = p.name);

create view profile_weights as
select p.id as profile_id, p.name, p.version, w.key as signal, w.value as weight
from profiles p, json_each(p.weights) w;

create view hit_signals as
select hit_id, recall_id, rank, signal, value, weight, value * weight as contribution
from (
    select h.id as hit_id, h.recall_id, h.rank, s.key as signal, s.value as value,
        coalesce(json_extract(p.weights, '$."' || s.key || '"'), 0) as weight
    from hits h
    join recalls r on r.id = h.recall_id
    join profiles p on p.id = r.profile_id
    join json_each(h.signals) s
);

create view recall_scores as
select h.id as hit_id, h.recall_id, h.memory_version_id, h.entry_id, h.rank, h.logged_score,
    (select coalesce(sum(w.value * coalesce(s.value, 0)), 0)
     from json_each(p.weights) w left join json_each(h.signals) s on s.key = w.key) as score
from hits h
join recalls r on r.id = h.recall_id
join profiles p on p.id = r.profile_id;

create view profile_scores as
select h.recall_id, h.id as hit_id, h.position, h.rank, p.id as profile_id, p.name as profile, p.version,
    (select coalesce(sum(w.value * coalesce(s.value, 0)), 0)
     from json_each(p.weights) w left join json_each(h.signals) s on s.key = w.key) as score
from hits h, newest_profiles p;

-- Knowledge -----------------------------------------------------------------

create view beliefs as
select memory_id, uid, kind, alpha, beta, alpha / (alpha + beta) as confidence,
    alpha * beta / ((alpha + beta) * (alpha + beta) * (alpha + beta + 1)) as variance, evidence_for, evidence_against, times_used
from (
    select m.id as memory_id, m.uid, m.kind,
        k.prior_alpha + coalesce((select sum(weight) from evidence e
            where e.memory_id = m.id and e.direction = 'for'), 0) as alpha,
        k.prior_beta + coalesce((select sum(weight) from evidence e
            where e.memory_id = m.id and e.direction = 'against'), 0) as beta,
        (select count(*) from evidence e where e.memory_id = m.id and e.direction = 'for') as evidence_for,
        (select count(*) from evidence e where e.memory_id = m.id and e.direction = 'against') as evidence_against,
        (select count(*) from evidence e where e.memory_id = m.id and e.kind in ('cited', 'used')) as times_used
    from memories m join kinds k on k.name = m.kind
);

create view memory_usage as
select m.id as memory_id,
    (select count(*) from memory_versions v join hits h on h.memory_version_id = v.id
        where v.memory_id = m.id) as times_considered,
    (select count(*) from memory_versions v join hits h on h.memory_version_id = v.id
        where v.memory_id = m.id and h.rank is not null) as times_shown,
    (select max(r.asked_at) from memory_versions v join hits h on h.memory_version_id = v.id
        join recalls r on r.id = h.recall_id where v.memory_id = m.id and h.rank is not null) as last_shown_at
from memories m;

create view current_memories as
select m.uid, m.kind, m.title, m.text, m.scope, p.name as project, m.importance, m.lock_level,
    round(b.confidence, 3) as confidence, b.evidence_for, b.evidence_against,
    u.times_shown, b.times_used, u.last_shown_at,
    (select count(*) from memory_sources s where s.memory_id = m.id) as quotes,
    m.tokens, m.valid_from, m.created_at, m.id as memory_id
from memories m
join beliefs b on b.memory_id = m.id
join memory_usage u on u.memory_id = m.id
left join projects p on p.id = m.project_id
where m.status = 'active';

create view layers as
select m.id as memory_id, m.uid,
    case when m.layer_override is not null then m.layer_override
        when m.lock_level = 'user' then 0
        when m.importance >= 4 or m.scope = 'user' then 1
        when m.importance <= 1 then 3
        else 2 end as layer,
    case when m.layer_override is not null then 'set by hand'
        when m.lock_level = 'user' then 'locked by the user'
        when m.importance >= 4 then 'importance of 4 or more'
        when m.scope = 'user' then 'holds in every project'
        when m.importance <= 1 then 'importance of 1'
        else 'everything else' end as reason,
    m.tokens
from memories m where m.status = 'active';

create view candidate_states as
select c.id as candidate_id, c.uid, c.kind, c.rule, c.scope, p.name as project, c.title, c.quote,
    d.action, d.reason, d.decided_by, d.decided_at, m.uid as memory_uid, c.created_at
from candidates c
left join projects p on p.id = c.project_id
left join decisions d on d.id = (select max(id) from decisions where candidate_id = c.id)
left join memories m on m.id = d.memory_id;

create view candidate_funnel as
select rule, kind, count(*) as candidates,
    sum(action in ('add', 'merge', 'supersede')) as kept,
    sum(action = 'duplicate') as duplicates,
    sum(action = 'reject') as rejected,
    sum(action = 'quarantine') as quarantined,
    sum(action = 'propose' or action is null) as pending
from candidate_states group by rule, kind;

-- The same correction is rarely given in the same words: two that share two keys count as one.
-- A key that more than 50 corrections share says too little of any of them: it makes no two alike.
create view corrections_given as
with correction_keys as (
    select distinct m.id as memory_id, lower(k.value) as key
    from memories m, json_each(m.keys) k where m.kind = 'correction' and m.status = 'active'
),
telling_keys as materialized (
    select memory_id, key
    from (select memory_id, key, count(*) over (partition by key) as shared_by from correction_keys)
    where shared_by between 2 and 50
),
alike as materialized (
    select a.memory_id, b.memory_id as other_id
    from telling_keys a join telling_keys b on b.key = a.key and b.memory_id <> a.memory_id
    group by a.memory_id, b.memory_id having count(*) >= 2
    union all
    select id, id from memories where kind = 'correction' and status = 'active'
),
oldest_first as materialized (
    select a.memory_id, a.other_id, o.uid,
        row_number() over (partition by a.memory_id order by o.created_at, o.id) as place
    from alike a join memories o on o.id = a.other_id
    order by a.memory_id, place
),
given as materialized (
    select o.memory_id, count(distinct s.entry_id) as times_given, count(distinct e.session_id) as sessions,
        group_concat(distinct o.uid) as uids_alike,
        min(e.created_at) as first_given_at, max(e.created_at) as last_given_at
    from oldest_first o
    left join memory_sources s on s.memory_id = o.other_id
    left join entries e on e.id = s.entry_id
    group by o.memory_id
)
select m.uid, m.title, m.text, m.scope, p.name as project, g.times_given, g.sessions, g.uids_alike,
    f.uid as first_uid, g.first_given_at, g.last_given_at, m.id as memory_id
from given g
join oldest_first f on f.memory_id = g.memory_id and f.place = 1
join memories m on m.id = g.memory_id
left join projects p on p.id = m.project_id;

create view never_recalled as
select c.* from current_memories c where c.times_shown = 0;

create view shown_never_cited as
select c.* from current_memories c where c.times_shown > 0 and c.times_used = 0;

-- Work ----------------------------------------------------------------------

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
group by s.id;

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

-- Cost ----------------------------------------------------------------------

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

-- Health --------------------------------------------------------------------

create view source_health as
select s.format, s.state, count(*) as files, sum(s.size_bytes) as bytes, sum(s.read_bytes) as read_bytes,
    sum((select count(*) from source_problems q where q.source_id = s.id)) as problems
from sources s group by s.format, s.state;

create view at_risk_transcripts as
select s.path, s.state, s.size_bytes - s.read_bytes as unread_bytes,
    round(julianday('now') - (julianday('1970-01-01') + s.mtime_ns / 86400e9), 1) as age_days
from sources s
where s.format = 'claude-code'
    and (s.state in ('found', 'unreadable') or s.state = 'partial' and coalesce(s.state_reason, '') <> 'the last line is not finished')
    and julianday('now') - (julianday('1970-01-01') + s.mtime_ns / 86400e9) > 25;

create view recall_health as
select strftime('%Y-%W', r.asked_at) as week, r.surface, p.name as profile, count(*) as recalls,
    sum(r.abstained) as abstained, round(avg(r.duration_ms), 1) as mean_duration_ms,
    sum(r.shown_tokens) as shown_tokens,
    round(avg((select max(h.logged_score) from hits h where h.recall_id = r.id)), 3) as mean_best_score
from recalls r join profiles p on p.id = r.profile_id
group by week, r.surface, p.name;
