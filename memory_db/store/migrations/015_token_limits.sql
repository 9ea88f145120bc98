-- What a token is limited to: reading, and one project.

alter table api_tokens add column may_write integer not null default 1 check (may_write in (0, 1));

alter table api_tokens add column project_id integer references projects(id);

create index api_tokens_project on api_tokens(project_id) where project_id is not null;
