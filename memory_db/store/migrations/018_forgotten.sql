-- What was forgotten, as hashes of names and without a word of it, so that a merge does not bring it back.

create table forgotten (
    sort text not null check (sort in ('memory', 'candidate', 'recall')),
    uid_hash text not null,
    forgotten_at text not null,
    primary key (sort, uid_hash)
) strict, without rowid;
