-- Which process answered a hook: one of its own, or one that has the model loaded.

alter table hook_runs add column answered_by text not null default 'cold' check (answered_by in ('cold', 'warm'));
