-- What is passed over in transcripts, by type; entries of before are to be looked at again.

create table skipped_records (
    source_id integer not null references sources(id) on delete cascade,
    type text not null,
    is_known integer not null check (is_known in (0, 1)),
    lines integer not null check (lines > 0),
    first_line integer not null,
    found_at text not null,
    primary key (source_id, type)
) strict, without rowid;

insert into scan_progress (place, rules_version, last_id, started_at)
select 'entries of the client', 1, 0, strftime('%Y-%m-%dT%H:%M:%fZ', 'now') where exists (select 1 from entries);
