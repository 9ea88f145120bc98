-- Files that were written for others, so that forgetting can look into them.

create table exports (
    id integer primary key,
    path text not null,
    what text not null check (what in ('memories', 'copy', 'decrypted', 'portrait', 'site')),
    sha256 text,
    written_at text not null
) strict;

create index exports_path on exports(path);
