-- What came of what agents were shown, and whether memory helps.
-- Core SQL only: every reader can read a view without our code.

-- One row a memory that a recall showed to an agent, with what came of that showing.
create view showings as
with told as materialized (
    select recall_id, memory_id, max(kind = 'cited') as cited, max(kind = 'used') as used,
        max(kind = 'confirmed') as confirmed, max(kind = 'repeated') as corrected_again,
        max(kind in ('wrong', 'contradicted')) as wrong
    from evidence where recall_id is not null and withdrawn_at is null group by recall_id, memory_id
)
select h.id as hit_id, r.id as recall_id, r.uid as recall_uid, r.surface, r.profile_id, r.session_id, r.session_uid,
    r.asked_at, v.memory_id, h.rank, h.logged_score, coalesce(h.shown_tokens, v.tokens) as shown_tokens,
    coalesce(t.cited, 0) as cited, coalesce(t.used, 0) as used, coalesce(t.confirmed, 0) as confirmed,
    coalesce(t.corrected_again, 0) as corrected_again, coalesce(t.wrong, 0) as wrong
from recalls r
join hits h on h.recall_id = r.id and h.rank is not null
join memory_versions v on v.id = h.memory_version_id
left join told t on t.recall_id = r.id and t.memory_id = v.memory_id
where r.surface in ('hook', 'session-start', 'pre-tool-use', 'mcp', 'ask', 'llm');

-- Of help, yet shown low, or left out by an earlier recall of the same session.
create view cited_low_ranked as
with told as materialized (
    select recall_id, memory_id,
        case max(case kind when 'used' then 3 when 'cited' then 2 else 1 end)
            when 3 then 'used' when 2 then 'cited' else 'confirmed' end as sign
    from evidence
    where kind in ('cited', 'used', 'confirmed') and recall_id is not null and withdrawn_at is null
    group by recall_id, memory_id
),
helped as materialized (
    select t.*, h.rank, h.logged_score, r.uid as recall_uid, r.surface, r.asked_at, r.session_id,
        (select count(*) from hits o where o.recall_id = t.recall_id and o.rank is not null) as shown_count,
        (select max(x.id) from memory_versions w
            cross join hits x on x.memory_version_id = w.id and x.rank is null
            cross join recalls q on q.id = x.recall_id and q.session_id = r.session_id and q.id < r.id
            where w.memory_id = t.memory_id) as left_out_hit_id
    from told t
    cross join recalls r on r.id = t.recall_id and r.surface in ('hook', 'session-start', 'pre-tool-use', 'mcp', 'ask', 'llm')
    cross join memory_versions v on v.memory_id = t.memory_id
    cross join hits h on h.recall_id = t.recall_id and h.memory_version_id = v.id and h.rank is not null
)
select m.uid, m.kind, m.title, p.name as project, s.recall_uid, s.surface, s.rank, s.shown_count,
    round(s.logged_score, 3) as score,
    (select count(*) from memory_versions w
        cross join hits x on x.memory_version_id = w.id and x.rank is null
        cross join recalls q on q.id = x.recall_id and q.session_id = s.session_id and q.id < s.recall_id
        where w.memory_id = s.memory_id) as left_out_before,
    (select x.left_out_reason from hits x where x.id = s.left_out_hit_id) as left_out_reason,
    s.sign, s.asked_at, s.memory_id
from helped s
join memories m on m.id = s.memory_id
left join projects p on p.id = m.project_id
where s.rank > 3 or s.left_out_hit_id is not null;

-- An agent that was told and did not obey is corrected with what it had been told.
create view obeyed as
with readers as materialized (
    select id as recall_id, min(id) over (partition by coalesce(session_uid, uid)) as reader from recalls
    where surface in ('hook', 'session-start', 'pre-tool-use', 'mcp', 'ask', 'llm')
),
-- Of the hits only the index of shown ones is read, from end to end: so one column must not look like a way in.
read as materialized (
    select r.reader, h.recall_id, h.memory_version_id
    from hits h cross join readers r on r.recall_id = h.recall_id
    where h.rank is not null and +h.memory_version_id is not null
),
told as materialized (
    select recall_id, memory_id, max(kind = 'cited') as cited, max(kind = 'used') as used,
        max(kind = 'confirmed') as confirmed, max(kind = 'repeated') as corrected_again,
        max(kind in ('wrong', 'contradicted')) as wrong
    from evidence where recall_id is not null and withdrawn_at is null group by recall_id, memory_id
),
-- By memory, as the versions lie, so that nothing is sorted.
shown as materialized (
    select v.memory_id, count(*) as times_shown, count(distinct x.reader) as sessions_shown,
        cast(total(t.cited) as integer) as times_cited, cast(total(t.used) as integer) as times_used,
        cast(total(t.confirmed) as integer) as times_confirmed,
        cast(total(t.corrected_again) as integer) as times_corrected_again, cast(total(t.wrong) as integer) as times_wrong,
        count(distinct iif(t.cited or t.used, x.reader, null)) as sessions_obeyed
    from memory_versions v
    cross join read x on x.memory_version_id = v.id
    left join told t on t.recall_id = x.recall_id and t.memory_id = v.memory_id
    group by v.memory_id
),
broken as (
    select memory_id, count(*) as times_broken from weak_labels where kind = 'broken' group by memory_id
)
select m.uid, m.kind, m.title, p.name as project, m.lock_level,
    case when s.times_corrected_again > s.sessions_obeyed then 'no'
        when s.times_corrected_again > 0 then 'not always'
        when s.sessions_obeyed > 0 then 'yes' else 'no sign' end as obeyed,
    s.times_shown, s.sessions_shown, s.sessions_obeyed, s.times_cited, s.times_used, s.times_confirmed,
    s.times_corrected_again, coalesce(b.times_broken, 0) as times_broken, s.times_wrong, m.status, m.id as memory_id
from shown s
join memories m on m.id = s.memory_id
left join broken b on b.memory_id = m.id
left join projects p on p.id = m.project_id;

-- The user had to say again what the file knew, in a session whose agent was asked about but not told.
create view known_but_not_shown as
select m.uid, m.kind, m.title, p.name as project, s.uid as session_uid, n.uid as entry_uid,
    substr(n.text, 1, 200) as said, e.created_at as said_at,
    (select count(*) from recalls r where r.session_id = n.session_id and r.asked_at <= e.created_at) as recalls_before,
    (select x.left_out_reason from memory_versions v join hits x on x.memory_version_id = v.id and x.rank is null
        join recalls r on r.id = x.recall_id
        where v.memory_id = e.memory_id and r.session_id = n.session_id and r.asked_at <= e.created_at
        order by x.logged_score desc limit 1) as left_out_reason,
    e.memory_id
from evidence e
join entries n on n.id = e.entry_id and n.role = 'user'
join sessions s on s.id = n.session_id
join memories m on m.id = e.memory_id and m.created_at < e.created_at
left join projects p on p.id = m.project_id
where e.kind = 'repeated' and e.withdrawn_at is null and e.recall_id is null
    and exists (select 1 from recalls r where r.session_id = n.session_id)
    and not exists (select 1 from memory_versions v join hits h on h.memory_version_id = v.id and h.rank is not null
        join recalls r on r.id = h.recall_id
        where v.memory_id = e.memory_id and r.session_id = n.session_id and r.asked_at <= e.created_at);

-- Tokens that agents were given and of which no reply or action shows anything.
create view injection_waste as
select m.uid, m.kind, m.title, p.name as project, w.times_shown, w.times_of_use, w.shown_tokens, w.unused_tokens,
    round(1.0 * w.unused_tokens / max(1, w.shown_tokens), 3) as unused_share, w.memory_id
from (
    select memory_id, count(*) as times_shown, sum(cited or used or confirmed) as times_of_use,
        sum(shown_tokens) as shown_tokens, sum(iif(cited or used or confirmed, 0, shown_tokens)) as unused_tokens
    from showings group by memory_id
) w
join memories m on m.id = w.memory_id
left join projects p on p.id = m.project_id;

-- Each session that had a lot, with what is to be compared.
create view holdout_sessions as
with repeats as materialized (
    select n.session_id, count(distinct n.id) as repeated
    from evidence e join entries n on n.id = e.entry_id and n.role = 'user'
    where e.kind = 'repeated' and e.withdrawn_at is null group by n.session_id
)
select o.session_uid, iif(o.is_held_out, 'held out', 'briefed') as arm, p.name as project, o.decided_at,
    (select count(*) from entries n where n.session_id = s.id and n.role = 'user' and n.kind = 'prompt') as prompts,
    (select count(distinct c.entry_id) from candidates c join entries n on n.id = c.entry_id and n.role = 'user'
        where c.session_id = s.id and c.kind = 'correction') as corrections,
    coalesce(t.repeated, 0) as repeated, u.outcome, u.score as outcome_score,
    (select coalesce(sum(c.input_tokens + c.output_tokens + c.cache_write_5m_tokens + c.cache_write_1h_tokens
        + c.cache_read_tokens), 0) from api_calls c where c.session_id = s.id) as tokens,
    (select coalesce(sum(r.shown_tokens), 0) from recalls r where r.session_uid = o.session_uid) as shown_tokens,
    s.id as session_id
from holdouts o
join sessions s on s.uid = o.session_uid
left join projects p on p.id = s.project_id
left join repeats t on t.session_id = s.id
left join session_outcomes u on u.session_id = s.id;

create view holdout_effect as
select arm, count(*) as sessions, sum(prompts) as prompts,
    round(avg(corrections), 3) as corrections_per_session, round(avg(repeated), 3) as repeated_per_session,
    round(avg(iif(outcome <> 'unknown', outcome_score, null)), 3) as mean_outcome_score,
    sum(coalesce(outcome, 'unknown') <> 'unknown') as sessions_with_outcome,
    round(avg(tokens)) as tokens_per_session, round(avg(shown_tokens)) as shown_tokens_per_session
from holdout_sessions group by arm;
