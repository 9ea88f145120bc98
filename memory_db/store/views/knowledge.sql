-- What is known, how surely, and what became of candidates.
-- Core SQL only: every reader can read a view without our code.

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

-- The same correction is rarely given in the same words. What counts are the words of the user that some correction
-- is kept under as a key; what a memory says before "the user said:" is ours, and says nothing of that. Two are alike
-- that share two such words and two fifths of the wordier's, or all of the shorter's and half of the other's. A word
-- that more than 50 corrections share says too little of any of them. Each correction is in one group: that of the
-- oldest one alike that has none before it.
create view corrections_given as
with said as materialized (
    select id as memory_id, replace(replace(lower(
        substr(text, iif(instr(text, 'the user said: '), instr(text, 'the user said: ') + 15, 1))
        ), char(10), ' '), '"', ' ') as words
    from memories where kind = 'correction' and status = 'active'
),
said_words as materialized (
    select distinct s.memory_id, trim(w.value, ' .,;:!?''`()[]“”„‘’…') as word
    from said s, json_each('[' || replace(json_quote(s.words), ' ', '","') || ']') w
),
key_words as materialized (
    select distinct w.word
    from said_words w join memories m on m.id = w.memory_id join json_each(m.keys) k on lower(k.value) = w.word
),
telling_words as materialized (
    select memory_id, word, count(*) over (partition by memory_id) as words, count(*) over (partition by word) as shared_by
    from said_words join key_words using (word)
),
alike as materialized (
    select a.memory_id, b.memory_id as other_id
    from telling_words a join telling_words b on b.word = a.word and b.memory_id <> a.memory_id
    where a.shared_by between 2 and 50
    group by a.memory_id, b.memory_id
    having count(*) >= 2 and 5 * count(*) >= 2 * max(a.words, b.words)
        or count(*) = min(a.words, b.words) and 2 * count(*) >= max(a.words, b.words)
),
older_alike as materialized (
    select a.memory_id, a.other_id, o.created_at as other_created_at
    from alike a join memories m on m.id = a.memory_id join memories o on o.id = a.other_id
    where (o.created_at, o.id) < (m.created_at, m.id)
),
firsts as materialized (
    select m.id as memory_id, coalesce((
        select o.other_id from older_alike o
        where o.memory_id = m.id and o.other_id not in (select memory_id from older_alike)
        order by o.other_created_at, o.other_id limit 1
    ), m.id) as first_id
    from memories m where m.kind = 'correction' and m.status = 'active'
),
given as materialized (
    select m.first_id, count(distinct s.entry_id) as times_given, count(distinct e.session_id) as sessions,
        group_concat(distinct m.uid) as uids_alike, group_concat(distinct n.uid) as session_uids,
        min(e.created_at) as first_given_at, max(e.created_at) as last_given_at
    from (
        select f.first_id, f.memory_id, m.uid from firsts f join memories m on m.id = f.memory_id
        order by f.first_id, m.created_at, m.id
    ) m
    left join memory_sources s on s.memory_id = m.memory_id
    left join entries e on e.id = s.entry_id
    left join sessions n on n.id = e.session_id
    group by m.first_id
)
select m.uid, m.title, m.text, m.scope, p.name as project, g.times_given, g.sessions, g.uids_alike, g.session_uids,
    first.uid as first_uid, g.first_given_at, g.last_given_at, m.id as memory_id
from firsts f
join given g on g.first_id = f.first_id
join memories first on first.id = f.first_id
join memories m on m.id = f.memory_id
left join projects p on p.id = m.project_id;

create view never_recalled as
select c.* from current_memories c where c.times_shown = 0;

create view shown_never_cited as
select c.* from current_memories c where c.times_shown > 0 and c.times_used = 0;
