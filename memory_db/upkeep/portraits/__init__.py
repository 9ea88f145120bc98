"""Documents made of memories: a project's playbook, what is known of the user."""
