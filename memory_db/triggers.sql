-- Full text and versions follow their tables, whoever writes: the package,
-- Datasette, a notebook or the sqlite3 shell.

create trigger entries_after_insert after insert on entries when new.kind <> 'other' begin
    insert into entry_fts(rowid, text) values (
        new.id, case when new.kind = 'tool_result' then substr(new.text, 1, 2000) else new.text end);
end;

create trigger entries_after_delete after delete on entries when old.kind <> 'other' begin
    insert into entry_fts(entry_fts, rowid, text) values (
        'delete', old.id, case when old.kind = 'tool_result' then substr(old.text, 1, 2000) else old.text end);
end;

create trigger entries_before_update before update of text, kind on entries when old.kind <> 'other' begin
    insert into entry_fts(entry_fts, rowid, text) values (
        'delete', old.id, case when old.kind = 'tool_result' then substr(old.text, 1, 2000) else old.text end);
end;

create trigger entries_after_update after update of text, kind on entries when new.kind <> 'other' begin
    insert into entry_fts(rowid, text) values (
        new.id, case when new.kind = 'tool_result' then substr(new.text, 1, 2000) else new.text end);
    delete from static_vectors where entry_id = new.id;
end;

-- A memory's row is its present; each change closes one version and opens the next.
create trigger memories_after_insert after insert on memories begin
    insert into memory_versions (memory_id, version, kind, scope, project_id, status, lock_level, importance,
        layer_override, title, text, keys, context, condition, tokens, valid_from, valid_to, recorded_from,
        changed_by, change_reason)
    values (new.id, 1, new.kind, new.scope, new.project_id, new.status, new.lock_level, new.importance,
        new.layer_override, new.title, new.text, new.keys, new.context, new.condition, new.tokens, new.valid_from,
        new.valid_to, new.updated_at, new.changed_by, new.change_reason);
end;

create trigger memories_after_update after update of kind, scope, project_id, status, lock_level, importance,
    layer_override, title, text, keys, context, condition, valid_from, valid_to on memories
when new.kind is not old.kind or new.scope is not old.scope or new.project_id is not old.project_id
    or new.status is not old.status or new.lock_level is not old.lock_level
    or new.importance is not old.importance or new.layer_override is not old.layer_override
    or new.title is not old.title or new.text is not old.text or new.keys is not old.keys
    or new.context is not old.context or new.condition is not old.condition
    or new.valid_from is not old.valid_from or new.valid_to is not old.valid_to
begin
    update memory_versions
        set recorded_to = case when new.updated_at is old.updated_at
            then strftime('%Y-%m-%dT%H:%M:%fZ', 'now') else new.updated_at end
        where memory_id = new.id and recorded_to is null;
    insert into memory_versions (memory_id, version, kind, scope, project_id, status, lock_level, importance,
        layer_override, title, text, keys, context, condition, tokens, valid_from, valid_to, recorded_from,
        changed_by, change_reason)
    values (new.id, (select max(version) + 1 from memory_versions where memory_id = new.id), new.kind, new.scope,
        new.project_id, new.status, new.lock_level, new.importance, new.layer_override, new.title, new.text,
        new.keys, new.context, new.condition, new.tokens, new.valid_from, new.valid_to,
        (select max(recorded_to) from memory_versions where memory_id = new.id), new.changed_by,
        new.change_reason);
end;

create trigger memory_versions_after_insert after insert on memory_versions begin
    insert into memory_fts(rowid, title, text, keys, context, condition)
        values (new.id, new.title, new.text, new.keys, new.context, new.condition);
end;

create trigger memory_versions_after_delete after delete on memory_versions begin
    insert into memory_fts(memory_fts, rowid, title, text, keys, context, condition)
        values ('delete', old.id, old.title, old.text, old.keys, old.context, old.condition);
end;

create trigger memory_versions_before_update
before update of title, text, keys, context, condition on memory_versions begin
    insert into memory_fts(memory_fts, rowid, title, text, keys, context, condition)
        values ('delete', old.id, old.title, old.text, old.keys, old.context, old.condition);
end;

create trigger memory_versions_after_update
after update of title, text, keys, context, condition on memory_versions begin
    insert into memory_fts(rowid, title, text, keys, context, condition)
        values (new.id, new.title, new.text, new.keys, new.context, new.condition);
    delete from condition_vectors where memory_version_id = new.id;
end;
