"""The file: connections, schema, migrations, views, settings, jobs, spool, backup, audit."""
