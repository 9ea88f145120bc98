-- How things are done in a project, from commands that succeeded; which were told in answers to recalls.

create table procedures (
    id integer primary key,
    uid text not null unique,
    project_id integer not null references projects(id) on delete cascade,
    purpose text not null,
    normal_form text not null,
    command text not null,
    successes integer not null check (successes > 0),
    failures integer not null default 0,
    failures_since integer not null default 0,
    first_success_at text not null,
    last_success_at text not null,
    last_used_at text not null,
    recent_uses real not null,
    preceded_by text,
    preceded_count integer not null default 0,
    failed_before text not null default '[]',
    unique (project_id, purpose, normal_form)
) strict;

create table procedure_actions (
    procedure_id integer not null references procedures(id) on delete cascade,
    action_id integer not null references actions(id) on delete cascade,
    position integer not null,
    outcome text not null check (outcome in ('succeeded', 'failed', 'unknown')),
    primary key (procedure_id, action_id, position)
) strict, without rowid;

create index procedure_actions_action on procedure_actions(action_id);

create table procedure_progress (
    project_id integer primary key references projects(id) on delete cascade,
    read_to text not null
) strict;

create table recall_procedures (
    id integer primary key,
    recall_id integer not null references recalls(id) on delete cascade,
    procedure_id integer references procedures(id) on delete set null,
    uid text not null,
    text text not null,
    tokens integer not null,
    reason text not null,
    unique (recall_id, uid)
) strict;

create index recall_procedures_procedure on recall_procedures(procedure_id);
