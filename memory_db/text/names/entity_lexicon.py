"""Names that the rules for entities know beforehand: programs, libraries, and products that look like code.

Invariant: data alone, in small letters. To make a name known, add it where it belongs.
"""

from __future__ import annotations

TOOLS = frozenset(
    """adb alembic ansible apt-get aws bundler cargo ctest curl dbt dnf docker docker-compose eslint fastlane ffmpeg
    gcc gcloud gh git golangci-lint gradle gradlew grep hatch helm imgtool journalctl kubectl maven mypy ninja npm
    npx nvm nx pip pip3 pipx playwright pnpm podman poetry prettier psql pyenv pyright pytest rsync rubocop ruff
    rustup sed squashmigrations ssh systemctl terraform tmux tox tsc uv uvicorn uvx virtualenv vite vitest wget
    wrangler yamllint yarn""".split()
)
"""Programs that are run by a name that is no other word."""

SUBCOMMANDS = frozenset(
    """add apply backfill build check checkout cherry-pick ci clone commit compose create delete deploy destroy diff
    down exec export fetch fmt format get import init install lint list lock log login logs merge migrate plan
    publish pull push rebase release remove reset restart restore revert rollback run runserver scale squash start
    stash status stop submodule sync tag taint template test uninstall up update upgrade validate worktree""".split()
)
"""What a program may be told in running text; between backticks any word is taken."""

PACKAGES = frozenset(
    """aiohttp aiokafka airflow apollo argocd asyncpg axios black boto3 celery clickhouse datasette django duckdb
    elasticsearch fastapi flask gevent grafana greenlet gunicorn hibernate htmx httpx hypothesis iceberg jinja2
    jquery jsdom jupyter kafka keycloak kombu kotlinx langchain litestream lodash mailpit mariadb matplotlib minio
    mongodb mysql nextjs nginx nodejs numpy openssl pandas polars postgres postgresql prisma prometheus psycopg
    psycopg2 pyarrow pydantic pytorch rabbitmq react redis redshift redux scipy sqlalchemy sqlglot sqlite starlette
    storybook supabase svelte tailwind tailwindcss tanstack tensorflow traefik typeorm uplot vuejs webpack werkzeug
    wiremock zod zustand""".split()
)
"""Libraries and services whose names are no other word."""

ALIASES = {"postgresql": "postgres", "pip3": "pip", "nodejs": "node.js", "nextjs": "next.js", "vuejs": "vue.js"}
"""Two names of one thing."""

LIBRARIES_LIKE_FILES = frozenset(
    "alpine.js backbone.js chart.js d3.js day.js ember.js express.js moment.js next.js node.js nuxt.js p5.js paper.js"
    " react.js three.js vue.js yjs".split()
)
"""Libraries that are called like files."""

FILE_ENDINGS = frozenset("adoc cddl conf dockerfile gradle http kts lockb mdx pem prisma proto properties svg".split())
"""Endings of files that `terms.PATH` does not know without a folder."""

NO_PACKAGES = frozenset("eslint-disable eslint-enable eslint-disable-next-line eslint-disable-line".split())
"""What is called like an add-on and is a remark in code."""

NO_SYMBOLS = frozenset(
    """archunit bitbucket circleci cloudflare cloudfront codeberg devops dynamodb ebay fastmail github gitlab gobd
    graphql icloud intellij ios ipad ipados iphone javascript jetbrains kubernetes launchdarkly linkedin macbook
    macos mongodb mysql nodejs oauth openai openapi openssl paypal postgresql powershell pycharm pytorch readme
    sqlite thinkpad typescript ubuntu vscode webassembly websocket websockets webstorm wifi youtube""".split()
)
"""Products and words that are written like a name in code."""

CODE_WORDS = frozenset(
    """alter async await class const create def delete drop else export extends false fn for from func function if
    import in insert interface let new none null package private public raise return select self static struct throw
    true try type update var while with yield""".split()
)
"""Words that begin a line of code: what they begin is no command."""
