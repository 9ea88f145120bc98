-- What weights make of logged signals.
-- Core SQL only: every reader can read a view without our code.

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
