-- Procedures, full text over pairs of characters, and bits of the tokens that the full model reads.

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

create virtual table entry_gram_fts using fts5(
    text, tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);

create virtual table memory_gram_fts using fts5(
    title, text, keys, context, condition, tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* M* Co'"
);

insert into memory_gram_fts(memory_gram_fts, rank) values ('rank', 'bm25(1.0, 1.0, 1.0, 0.2, 1.0)');

create table gram_progress (
    sort text primary key check (sort in ('memories', 'entries')),
    version integer not null,
    last_id integer not null
) strict;

insert into gram_progress (sort, version, last_id) values ('memories', 0, 0), ('entries', 0, 0);

delete from static_vectors where entry_id in (
    select id from entries where length(cast(text as blob)) > length(text) and text glob '*[Ͱ-῿⺀-﷿]*'
);

delete from static_vectors where memory_version_id in (
    select id from memory_versions where length(cast(text as blob)) > length(text) and text glob '*[Ͱ-῿⺀-﷿]*'
);

delete from condition_vectors where memory_version_id in (
    select id from memory_versions
    where length(cast(condition as blob)) > length(condition) and condition glob '*[Ͱ-῿⺀-﷿]*'
);

create table token_signs (
    id integer primary key,
    memory_version_id integer unique references memory_versions(id) on delete cascade,
    entry_id integer unique references entries(id) on delete cascade,
    model text not null,
    signs blob not null check (length(signs) % 48 = 0),
    check ((memory_version_id is null) <> (entry_id is null))
) strict;
