-- Where a session of one project names another, or something that these two alone have: what makes them sisters.

create table project_mentions (
    id integer primary key,
    project_id integer not null references projects(id),
    other_project_id integer not null references projects(id),
    how text not null check (how in ('path', 'name', 'in both')),
    literal text not null,
    entry_id integer not null references entries(id),
    unique (project_id, other_project_id, how, literal),
    check (project_id <> other_project_id)
) strict;

create index project_mentions_other on project_mentions(other_project_id);

create index project_mentions_entry on project_mentions(entry_id);

-- What pages keep must notice withdrawn evidence at each visit, and little of it is withdrawn.
create index evidence_withdrawn on evidence(id) where withdrawn_at is not null;
