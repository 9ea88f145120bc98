"""Which records of Claude Code's transcripts carry somebody's words or a tool's result: lists of what is allowed.

In: the types of a record. Out: whether it becomes an entry, and its words. Invariant: what stands in no list here is no
entry: it is counted by its type, and nothing of its text is kept. Sources: transcripts of Claude Code 2.1.197 and
2.1.330, and what these programs list as the types of records, subtypes and attachments that they write.
"""

from __future__ import annotations

import re
from typing import Any

from memory_db.transcripts.records import named, one_line

BOOKKEEPING = frozenset({
    "agent-color", "agent-name", "agent-setting", "api-request", "api-request-blob", "api-request-resumed",
    "api-request-shape", "artifact-autoreact-ledger", "artifact-comment-monitor", "atis-latch",
    "attribution-snapshot", "bridge-session", "content-replacement", "context-collapse-commit",
    "context-collapse-snapshot", "continued-in", "cost-state", "data-flow-incomplete", "data-flow-records",
    "derived-from", "dev-mods", "ended-by-model", "file-history-delta", "file-history-snapshot",
    "fork-context-ref", "frame-link", "history-suppression", "invoked-skills", "isolation-latch", "last-prompt",
    "last-uuid", "marble-origami-commit", "marble-origami-snapshot", "memory-mode", "mode", "observer-ref",
    "permission-mode", "pr-link", "progress", "relocated", "result", "resume-head-vouch", "saved_hook_context",
    "session-owner", "speculation-accept", "started", "tag", "task-summary", "tools-used", "turn_ended",
    "worktree-state"
})  # fmt: skip
"""Types of records that are known to hold no words of anybody, or words that stand elsewhere too."""

SYSTEM = frozenset({"compact_boundary", "local_command"})
"""Subtypes of system records that are entries: where a conversation was compacted, and what a command printed."""

SILENT_SYSTEM = frozenset({
    "agents_killed", "api_error", "away_summary", "bridge_status", "file_snapshot", "informational",
    "memory_saved", "microcompact_boundary", "model_consent_fallback", "model_fallback", "model_refusal_fallback",
    "model_refusal_no_fallback", "permission_retry", "read_divider", "scheduled_task_fire", "stop_hook_summary",
    "thinking", "turn_duration"
})  # fmt: skip
"""Subtypes of system records that are known to be the client's own."""

ATTACHMENTS = frozenset({
    "diagnostics", "directory", "edited_text_file", "file", "hook_additional_context", "hook_blocking_error",
    "hook_error_during_execution", "hook_non_blocking_error", "hook_stopped_continuation", "hook_success",
    "hook_system_message", "mcp_resource", "queued_command", "selected_lines_in_diff", "selected_lines_in_ide"
})  # fmt: skip
"""Attachments that are entries: what the user typed, named or selected, and what hooks and the editor said."""

SILENT_ATTACHMENTS = frozenset({
    "account_memory_recall", "advisor_stripped", "advisor_tool", "agent_ask_notice", "agent_listing_delta",
    "agent_mention", "already_read_file", "artifact_opening_prefetch", "async_hook_response",
    "async_hook_response_batch", "at_mention_reference", "attention_budget", "auto_mode", "auto_mode_exit",
    "bash_output_audience_note", "batching_reminder", "batching_reminder_sent", "budget_usd", "claude_app_notice",
    "command_permissions", "compact_file_reference", "context_efficiency", "context_sections",
    "coordinator_context", "cowork_memory_context", "credential_org", "critical_system_reminder", "date",
    "date_change", "deferred_tools_delta", "deferred_tools_record", "dir_sync_notice", "dynamic_skill",
    "edited_image_file", "elapsed_time_reminder", "environment", "first_week", "fork_briefing", "goal_status",
    "goals", "hook_cancelled", "hook_deferred_tool", "hook_permission_decision", "hook_plugin_listing",
    "inlined_image_paths", "instruction_files_not_loaded", "instructions", "invoked_skills", "language",
    "linked_plugin_tools_note", "max_turns_reached", "mcp_dropped_tools_delta", "mcp_instructions_delta",
    "memory_update", "message_pdf_reads", "model", "nested_memory", "opened_file_in_ide", "output_limit_note",
    "output_style", "output_style_instructions", "output_token_usage", "pdf_reference", "peer_mention",
    "plan_file_reference", "plan_mode", "plan_mode_exit", "plan_mode_reentry", "plugin_note", "poll_events",
    "prefix_delta", "proactivity", "project_doc_reads", "projects_thread_ask", "prompt_as_file",
    "prompt_render_point", "prompt_snapshot", "read_truncation_notice", "relevant_memories",
    "remote_session_change", "repl_mcp_needs_auth", "repl_mcp_servers", "sandbox_instructions",
    "secondary_reminder", "secondary_reminder_sent", "session_context", "session_cron_carry",
    "silent_turn_reminder", "skill_listing", "skill_mention", "structured_output", "task_reminder", "task_status",
    "team_context", "teammate_mailbox", "teammate_shutdown_batch", "thinking_drop", "thinking_stripped",
    "thread_state", "todo_reminder", "token_usage", "tool_host_result_lines", "tool_hosts_correction",
    "tool_hosts_notice", "tool_offer_record", "tool_results_cut", "tool_search_usage_reminder",
    "total_tokens_reminder", "ultra_effort_enter", "ultra_effort_exit", "ultrathink_effort",
    "unknown_command_fallback", "whole_texts_withdrawn", "widget_context_hint", "withheld_memory",
    "workflow_keyword_request", "workflow_size_guideline_change"
})  # fmt: skip
"""Attachments that are known to be what the client tells its model: prompts, listings, reminders, instruction files."""

META, SYNTHETIC = "user meta", "assistant synthetic"
"""What the client wrote in the user's and in the model's name."""

KNOWN = (
    BOOKKEEPING
    | {f"system {subtype}" for subtype in SILENT_SYSTEM}
    | {f"attachment {kind}" for kind in SILENT_ATTACHMENTS}
    | {META, SYNTHETIC, "queue-operation", "custom-title", "ai-title"}
)
"""What is passed over and known; anything else is new."""

NOTICE = re.compile(
    r"\s*(?:<(?:command-(?:name|message|args|contents)|local-command-(?:stdout|stderr)|bash-(?:input|stdout|stderr)"
    r"|task-notification|user-memory-input|teammate-message)\b|\[Request interrupted by user)"
)
"""How texts begin that Claude Code wrote in the user's name about what somebody did: a command with what it printed,
the result of an agent, an interruption."""

CAVEAT = re.compile(
    r"\s*(?:<(?:local-command-caveat|tick)\b"
    r"|Caveat: The messages below were generated by the user while running local commands)"
)
"""How texts begin that Claude Code wrote in the user's name, and that tell of nothing."""

WORDS = ("filename", "content", "file", "contents", "files", "text", "snippet", "diagnostics", "message",
         "blockingError", "stderr")  # fmt: skip
"""The fields of an attachment that hold words, or lead to them, in the order in which they are read."""

TYPE_CHARACTERS = 60


def type_name(*parts: object) -> str:
    """What a type is called where it is counted, such as "attachment environment"."""
    return " ".join(one_line(named(part) or "without type", TYPE_CHARACTERS) for part in parts)


def words_of(value: Any) -> list[str]:
    """The words of an attachment that is an entry, in the order of WORDS."""
    if isinstance(value, str):
        return [value] if value.strip() else []
    if isinstance(value, list):
        return [words for part in value for words in words_of(part)]
    if isinstance(value, dict):
        return [words for name in WORDS if name in value for words in words_of(value[name])]
    return []
