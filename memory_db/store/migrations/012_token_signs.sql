-- Bits of the full model's tokens, by which a question is compared with a text token by token.

create table token_signs (
    id integer primary key,
    memory_version_id integer unique references memory_versions(id) on delete cascade,
    entry_id integer unique references entries(id) on delete cascade,
    model text not null,
    signs blob not null check (length(signs) % 48 = 0),
    check ((memory_version_id is null) <> (entry_id is null))
) strict;
