"""Things of which one is taken and not the others, and words that say the opposite of each other.

In: nothing. Out: for a word the group in which it has antonyms, and opposites. Invariant: pure data; every word is
lower case as a tokenizer cuts it, and belongs to one group. Source: our own lists of what developers choose between.
"""

from __future__ import annotations

GROUPS: dict[str, str] = {
    "package manager of node": "npm pnpm yarn bun",
    "package manager of python": "pip poetry uv pdm pipenv conda hatch",
    "formatter": "black yapf autopep8 prettier biome dprint",
    "linter": "pylint flake8 ruff",
    "type checker": "mypy pyright",
    "test runner": "pytest unittest nose jest vitest mocha ava rspec minitest phpunit",
    "browser tests": "playwright cypress selenium puppeteer",
    "database": "postgres postgresql mysql mariadb sqlite oracle mssql cockroachdb mongodb dynamodb",
    "cache": "redis memcached valkey",
    "queue": "rabbitmq kafka sqs nats pulsar",
    "worker": "celery dramatiq rq sidekiq huey",
    "bundler": "webpack vite rollup parcel esbuild turbopack",
    "container": "docker podman",
    "cluster": "kubernetes nomad swarm",
    "infrastructure": "terraform pulumi opentofu cloudformation",
    "ci": "jenkins circleci travis buildkite drone teamcity",
    "host of code": "github gitlab bitbucket gitea",
    "cloud": "aws gcp azure hetzner digitalocean",
    "host of apps": "fly render heroku vercel netlify railway",
    "sms": "twilio sinch vonage",
    "flags of features": "launchdarkly unleash flagsmith",
    "form of docs": "asciidoc markdown rst",
    "chat": "slack teams discord mattermost",
    "tracker": "jira linear trello asana",
    "indentation": "tabs spaces tab space",
    "branch": "main master develop trunk",
    "merging": "squash rebase",
    "weekday": "monday tuesday wednesday thursday friday saturday sunday mondays tuesdays wednesdays thursdays fridays"
    " saturdays sundays tue tues wed thu thur thurs fri",
    "month": "january february march april june july august september october november december",
    "zone": "utc local berlin cet pst est gmt",
    "language spoken": "german english french spanish italian portuguese polish dutch",
    "language written": "python typescript javascript go rust java kotlin ruby php scala elixir swift",
    "web server": "nginx caddy apache traefik",
    "http client": "requests httpx aiohttp axios fetch urllib3",
    "styles": "tailwind bootstrap bulma",
    "state": "redux zustand mobx jotai pinia vuex",
    "orm": "sqlalchemy peewee tortoise prisma drizzle typeorm sequelize",
    "framework": "django flask fastapi starlette express fastify koa hono",
    "front end": "react vue svelte angular solid",
    "form of data": "json yaml toml xml csv protobuf msgpack",
    "naming": "camelcase snake_case kebab-case pascalcase snakecase kebabcase",
    "quotes": "single-quoted double-quoted",
    "theme": "dark light",
    "editor": "vim neovim emacs vscode",
    "shell": "bash zsh fish",
    "vault": "vault doppler 1password",
    "ids": "uuid ulid uuidv4 uuidv7 serial bigserial autoincrement",
    "secrets of a person": "jwt cookies",
    "ordinal": "first second third fourth fifth last",
    "often": "daily weekly monthly hourly nightly quarterly yearly",
    "length": "short brief terse long verbose detailed",
    "numbers": "integer integers decimal decimals float floats cents",
    "role": "maintainer reviewer",
}
"""Groups by name; in a group the words are antonyms where they stand in the same place of a sentence."""

SAME = {
    "postgresql": "postgres", "tab": "tabs", "space": "spaces", "snakecase": "snake_case", "kebabcase": "kebab-case",
    "tue": "tuesday", "tues": "tuesday", "wed": "wednesday", "thu": "thursday", "thur": "thursday", "thurs": "thursday",
    "fri": "friday", "mongo": "mongodb", "brief": "short", "terse": "short", "verbose": "long", "detailed": "long",
    "integers": "integer", "decimals": "decimal", "floats": "float", "uuids": "uuid", "ulids": "ulid",
}  # fmt: skip
"""Words of a group that mean the same."""

OPPOSITES: tuple[tuple[str, str], ...] = (
    ("before", "after"),
    ("sync", "async"),
    ("synchronous", "asynchronous"),
    ("manual", "automatic"),
    ("manually", "automatically"),
    ("public", "private"),
    ("required", "optional"),
    ("mandatory", "optional"),
    ("ascending", "descending"),
    ("oldest", "newest"),
    ("singular", "plural"),
    ("strict", "lenient"),
    ("inline", "separate"),
    ("global", "local"),
    ("top", "bottom"),
    ("left", "right"),
    ("uppercase", "lowercase"),
    ("upper", "lower"),
    ("soft", "hard"),
    ("include", "exclude"),
    ("included", "excluded"),
    ("open", "closed"),
    ("safe", "unsafe"),
    ("absolute", "relative"),
    ("mutable", "immutable"),
    ("single", "double"),
    ("single", "multiple"),
    ("keep", "delete"),
    ("keep", "remove"),
    ("commit", "ignore"),
    ("committed", "ignored"),
    ("separate", "together"),
    ("signed", "unsigned"),
    ("cached", "uncached"),
)
"""Words of which only one can be said of the same thing."""

GROUP_OF = {word: name for name, words in GROUPS.items() for word in words.split()}
OPPOSED = {word: {other for pair in OPPOSITES for other in pair if word in pair and other != word}
           for pair in OPPOSITES for word in pair}  # fmt: skip
