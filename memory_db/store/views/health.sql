-- How well the file keeps up.
-- Core SQL only: every reader can read a view without our code.

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
    and coalesce(s.state_reason, '') not like 'ignored: %'
    and julianday('now') - (julianday('1970-01-01') + s.mtime_ns / 86400e9) > 25;

-- Signs are counted for the memories that a recall showed; skipped prompts stand with the hook's recalls of the week.
create view recall_health as
with told as materialized (
    select recall_id, memory_id, max(kind = 'cited') as cited, max(kind = 'used') as used, max(kind = 'wrong') as wrong
    from evidence where recall_id is not null and withdrawn_at is null group by recall_id, memory_id
),
signs as materialized (
    select recall_id, sum(cited) as cited, sum(used) as used, sum(wrong) as wrong from told group by recall_id
),
found as materialized (
    select h.recall_id, max(h.logged_score) as best_score,
        sum(h.rank is not null and h.memory_version_id is not null) as shown_memories
    from hits h group by h.recall_id
),
skipped as materialized (
    select strftime('%Y-%W', started_at) as week, count(*) as prompts
    from hook_runs where hook = 'user-prompt' and outcome = 'skipped' group by 1
)
select w.*, round(1.0 * w.cited / nullif(w.shown_memories, 0), 3) as cited_share,
    round(1.0 * w.used / nullif(w.shown_memories, 0), 3) as used_share,
    round(1.0 * w.wrong / nullif(w.shown_memories, 0), 3) as wrong_share,
    iif(w.surface = 'hook', coalesce((select k.prompts from skipped k where k.week = w.week), 0), null)
        as skipped_prompts
from (
    select strftime('%Y-%W', r.asked_at) as week, r.surface, p.name as profile, count(*) as recalls,
        sum(r.abstained) as abstained, round(avg(r.duration_ms), 1) as mean_duration_ms,
        sum(r.shown_tokens) as shown_tokens, round(avg(f.best_score), 3) as mean_best_score,
        coalesce(sum(f.shown_memories), 0) as shown_memories, coalesce(sum(s.cited), 0) as cited, coalesce(sum(s.used), 0) as used,
        coalesce(sum(s.wrong), 0) as wrong
    from recalls r join profiles p on p.id = r.profile_id
    left join found f on f.recall_id = r.id
    left join signs s on s.recall_id = r.id
    group by week, r.surface, p.name
) w;
