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
    and julianday('now') - (julianday('1970-01-01') + s.mtime_ns / 86400e9) > 25;

create view recall_health as
select strftime('%Y-%W', r.asked_at) as week, r.surface, p.name as profile, count(*) as recalls,
    sum(r.abstained) as abstained, round(avg(r.duration_ms), 1) as mean_duration_ms,
    sum(r.shown_tokens) as shown_tokens,
    round(avg((select max(h.logged_score) from hits h where h.recall_id = r.id)), 3) as mean_best_score
from recalls r join profiles p on p.id = r.profile_id
group by week, r.surface, p.name;
