-- How things are done, and why it is said so.
-- Core SQL only: every reader can read a view without our code.

-- place: 1 for the one that is told first for its purpose: what did not fail three times in a row, then what is used most
-- of late.
create view project_procedures as
select p.name as project, d.purpose, d.command,
    row_number() over (partition by d.project_id, d.purpose
        order by d.failures_since >= 3, d.recent_uses desc, d.last_success_at desc, d.id) as place,
    d.failures_since < 3 as is_working, d.successes, d.failures, d.failures_since,
    d.first_success_at, d.last_success_at, d.last_used_at,
    d.preceded_by, d.preceded_count,
    (select group_concat(f.value ->> '$.command', '; ') from json_each(d.failed_before) f) as failed_before,
    case when d.failures_since >= 3 then 'failed the last ' || d.failures_since || ' times; ' else '' end
        || 'succeeded ' || case d.successes when 1 then 'once' when 2 then 'twice' else d.successes || ' times' end
        || ', last on ' || substr(d.last_success_at, 1, 10)
        || case when d.failures_since between 1 and 2 then ', failed '
            || iif(d.failures_since = 1, 'once', 'twice') || ' since' else '' end
        as reason,
    (select count(*) from recall_procedures r where r.procedure_id = d.id) as times_shown,
    d.recent_uses, d.uid, d.project_id, d.id as procedure_id
from procedures d
join projects p on p.id = d.project_id;
