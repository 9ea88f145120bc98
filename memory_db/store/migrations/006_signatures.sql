-- Signs of the static vectors, side by side.

create table signature_blocks (
    sort text not null check (sort in ('memories', 'entries')),
    block integer not null,
    model text not null,
    vector_count integer not null,
    id_sum integer not null,
    ids blob not null,
    planes blob not null,
    primary key (sort, block)
) strict;
