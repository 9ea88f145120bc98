-- Full text and versions follow their tables, whoever writes: the package,
-- Datasette, a notebook or the sqlite3 shell. Pairs of characters, which no
-- SQL can make, go with their text; `index` makes those of what is new.

create trigger entries_after_insert after insert on entries when new.kind <> 'other' begin
    insert into entry_fts(rowid, text) values (
        new.id, case when new.kind = 'tool_result' then substr(new.text, 1, 2000) else new.text end);
    update gram_progress set last_id = new.id - 1
        where sort = 'entries' and last_id >= new.id and length(cast(new.text as blob)) > length(new.text);
end;

create trigger entries_after_delete after delete on entries when old.kind <> 'other' begin
    insert into entry_fts(entry_fts, rowid, text) values (
        'delete', old.id, case when old.kind = 'tool_result' then substr(old.text, 1, 2000) else old.text end);
    delete from entry_gram_fts where rowid = old.id;
end;

create trigger entries_before_update before update of text, kind on entries when old.kind <> 'other' begin
    insert into entry_fts(entry_fts, rowid, text) values (
        'delete', old.id, case when old.kind = 'tool_result' then substr(old.text, 1, 2000) else old.text end);
    delete from entry_gram_fts where rowid = old.id;
end;

create trigger entries_after_update after update of text, kind on entries when new.kind <> 'other' begin
    insert into entry_fts(rowid, text) values (
        new.id, case when new.kind = 'tool_result' then substr(new.text, 1, 2000) else new.text end);
    update gram_progress set last_id = new.id - 1
        where sort = 'entries' and last_id >= new.id and length(cast(new.text as blob)) > length(new.text);
    delete from static_vectors where entry_id = new.id;
end;

-- Of bits of tokens, words can be guessed: they go with the text that they were made of.
create trigger token_signs_of_entry after update of text, kind on entries begin
    delete from token_signs where entry_id = new.id;
end;

-- Slices of a text are none of another text; who finds none reads the text itself.
create trigger spans_of_entry after update of text, kind on entries begin
    delete from spans where entry_id = new.id;
end;

-- What a prompt came to is read again where its words, or what was done after it, are other ones.
create trigger prompt_ties_of_entry after update of text, kind on entries begin
    delete from prompt_vectors where entry_id = new.id;
    delete from prompt_ties where entry_id = new.id;
    delete from tie_progress where session_id = new.session_id;
end;

create trigger prompt_ties_of_action after update of target on actions begin
    delete from tie_progress where session_id = new.session_id;
end;

-- A tie to a memory is its id, which another one may get.
create trigger prompt_ties_of_memory after delete on memories begin
    delete from prompt_ties where tie = old.id;
end;

-- A memory's row is its present; each change closes one version and opens the next. store/versions.py fills in which
-- columns are versioned.
create trigger memories_after_insert after insert on memories begin
    insert into memory_versions (memory_id, version, {versioned}, tokens, recorded_from, changed_by, change_reason)
    values (new.id, 1, {new.versioned}, new.tokens, new.updated_at, new.changed_by, new.change_reason);
end;

-- A change that says when it was made is recorded then: two of one moment leave a version that held for no time.
create trigger memories_before_update before update of updated_at on memories
when ({new.versioned}) is not ({old.versioned})
begin
    update memory_versions set recorded_to = max(recorded_from, new.updated_at)
        where memory_id = new.id and recorded_to is null;
    insert into memory_versions (memory_id, version, {versioned}, tokens, recorded_from, changed_by, change_reason)
    values (new.id, (select max(version) + 1 from memory_versions where memory_id = new.id), {new.versioned}, new.tokens,
        (select recorded_to from memory_versions where memory_id = new.id order by version desc limit 1),
        new.changed_by, new.change_reason);
end;

-- One that does not say so (a hand in the sqlite3 shell) is recorded as of now.
create trigger memories_after_update after update of {versioned} on memories
when ({new.versioned}) is not ({old.versioned})
    and not exists (select 1 from memory_versions where memory_id = new.id and recorded_to is null
        and ({versioned}) is ({new.versioned}))
begin
    update memory_versions set recorded_to = max(recorded_from, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'))
        where memory_id = new.id and recorded_to is null;
    insert into memory_versions (memory_id, version, {versioned}, tokens, recorded_from, changed_by, change_reason)
    values (new.id, (select max(version) + 1 from memory_versions where memory_id = new.id), {new.versioned}, new.tokens,
        (select recorded_to from memory_versions where memory_id = new.id order by version desc limit 1),
        new.changed_by, new.change_reason);
end;

-- What is taken off a memory stays known, for questions as of a moment in which it was there.
create trigger tags_after_delete after delete on tags
when exists (select 1 from memories where id = old.memory_id) begin
    insert into removed_parts (memory_id, part, value, recorded_at, removed_at)
    values (old.memory_id, 'tag', old.tag, old.recorded_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
end;

create trigger memory_paths_after_delete after delete on memory_paths
when exists (select 1 from memories where id = old.memory_id) begin
    insert into removed_parts (memory_id, part, value, recorded_at, removed_at)
    values (old.memory_id, 'path', old.path, old.recorded_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
end;

create trigger memory_sources_after_delete after delete on memory_sources
when exists (select 1 from memories where id = old.memory_id) begin
    insert into removed_parts (memory_id, part, value, recorded_at, removed_at)
    values (old.memory_id, 'source', json_object('id', old.id, 'candidate_id', old.candidate_id,
            'entry_id', old.entry_id, 'quote', old.quote, 'created_at', old.created_at),
        old.recorded_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now'));
end;

-- Memories as they are now, for who searches their table with programs that are not ours.
create trigger memory_now_after_insert after insert on memories begin
    insert into memory_now_fts(rowid, title, text, keys) values (new.id, new.title, new.text, new.keys);
end;

create trigger memory_now_after_delete after delete on memories begin
    insert into memory_now_fts(memory_now_fts, rowid, title, text, keys)
        values ('delete', old.id, old.title, old.text, old.keys);
end;

create trigger memory_now_after_update after update of title, text, keys on memories
when (new.title, new.text, new.keys) is not (old.title, old.text, old.keys) begin
    insert into memory_now_fts(memory_now_fts, rowid, title, text, keys)
        values ('delete', old.id, old.title, old.text, old.keys);
    insert into memory_now_fts(rowid, title, text, keys) values (new.id, new.title, new.text, new.keys);
end;

create trigger memory_versions_after_insert after insert on memory_versions begin
    insert into memory_fts(rowid, title, text, keys, context, condition)
        values (new.id, new.title, new.text, new.keys, new.context, new.condition);
    update gram_progress set last_id = new.id - 1 where sort = 'memories' and last_id >= new.id
        and length(cast(new.title || new.text || new.keys || new.context || new.condition as blob))
            > length(new.title || new.text || new.keys || new.context || new.condition);
end;

create trigger memory_versions_after_delete after delete on memory_versions begin
    insert into memory_fts(memory_fts, rowid, title, text, keys, context, condition)
        values ('delete', old.id, old.title, old.text, old.keys, old.context, old.condition);
    delete from memory_gram_fts where rowid = old.id;
end;

create trigger memory_versions_before_update
before update of title, text, keys, context, condition on memory_versions begin
    insert into memory_fts(memory_fts, rowid, title, text, keys, context, condition)
        values ('delete', old.id, old.title, old.text, old.keys, old.context, old.condition);
    delete from memory_gram_fts where rowid = old.id;
end;

create trigger memory_versions_after_update
after update of title, text, keys, context, condition on memory_versions begin
    insert into memory_fts(rowid, title, text, keys, context, condition)
        values (new.id, new.title, new.text, new.keys, new.context, new.condition);
    update gram_progress set last_id = new.id - 1 where sort = 'memories' and last_id >= new.id
        and length(cast(new.title || new.text || new.keys || new.context || new.condition as blob))
            > length(new.title || new.text || new.keys || new.context || new.condition);
    delete from condition_vectors where memory_version_id = new.id;
end;

create trigger token_signs_of_version after update of title, text on memory_versions begin
    delete from token_signs where memory_version_id = new.id;
end;

-- Evidence does not outlive what it rests on; its row stays, and says since when it no longer counts.
create trigger entries_before_delete before delete on entries begin
    update evidence
        set withdrawn_at = coalesce(withdrawn_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')), entry_id = null
        where entry_id = old.id;
end;

-- What also rests on an entry outlives the log of the recall that had shown the memory.
create trigger recalls_before_delete before delete on recalls begin
    update evidence
        set withdrawn_at = case when entry_id is null
            then coalesce(withdrawn_at, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')) else withdrawn_at end,
            recall_id = null
        where recall_id = old.id;
end;
