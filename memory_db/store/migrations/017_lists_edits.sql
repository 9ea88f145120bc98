-- What lists to browse have to find fast, and changes of many memories at once, which are batches of the review too.

create index entries_prompts on entries(session_id) where kind = 'prompt' and is_sidechain = 0;

create table review_batches_new (
    id integer primary key,
    action text not null check (action in ('accept', 'decline', 'first', 'second', 'both', 'neither', 'edit')),
    items text not null,
    decided_by text not null,
    decided_at text not null,
    undone_at text
) strict;

insert into review_batches_new select * from review_batches;

drop table review_batches;

alter table review_batches_new rename to review_batches;
