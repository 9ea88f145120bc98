"""JSON for programs where no page has it."""
