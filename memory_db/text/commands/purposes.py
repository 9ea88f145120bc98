"""What a command of a project is for: the closed list of purposes, and the table that leads from a tool to one.

In: the words of a simple command. Out: its `Use`: the purpose, and how many words name the tool and what it shall do.
Pure. Invariants: rules are tried in order and the first that fits decides; a tool that starts another one (`uv run`,
`npx`, `docker compose exec app`) is looked through; what no rule names has no purpose.

To add a tool, add its words to the rule of its purpose. Source of all names: the manuals of the tools.
"""

from __future__ import annotations

import re

from memory_db.records import dataclass, later

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Sequence

PURPOSES = {
    "install": "install what the project needs",
    "add": "add a dependency",
    "services": "start the services",
    "run": "run it",
    "test": "run the tests",
    "lint": "lint",
    "format": "format the code",
    "typecheck": "check the types",
    "build": "build",
    "docs": "build the docs",
    "new-migration": "make a new migration",
    "migrate": "run the migrations",
    "plan": "see what a deployment would change",
    "deploy": "deploy",
    "release": "release",
}
"""Every purpose, and how a sentence says it after "to"."""

ABOUT_CODE = frozenset(("test", "lint", "format", "typecheck"))
"""Purposes of commands that fail because of the code that they look at, as a rule, and not because they are wrong."""


@dataclass(slots=True, frozen=True)
class Use:
    """What a command is for; `tool_words` of its words name the tool and its task, what starts it among them."""

    purpose: str
    tool_words: int


VALUE = r"(?:=\S+|[ ](?!-)\S+)"

STARTS_ANOTHER = later(
    rf"""(?:
    (?:uv|poetry|pdm|pipenv|hatch|rye|pixi)\ run
        (?:\ --(?:env-file|with|extra|group|python|directory|project|package|index|from){VALUE}
        |\ -[pe]\ \S+|\ --?\S+)*
    |npx(?:\ -\S+)*|bunx|uvx|pipx\ run|pnpm\ (?:exec|dlx)|npm\ exec(?:\ --)?|yarn\ (?:dlx|exec)|bundle\ exec
    |(?:docker-compose|(?:docker|podman)\ compose)(?:\ -f\ \S+)*\ (?:exec|run)(?:\ -[ewu]\ \S+|\ -\S+)*\ \S+
    |(?:docker|podman)\ exec(?:\ -[ewu]\ \S+|\ -\S+)*\ \S+
    |sudo(?:\ -\S+)*|env|op\ run(?:\ --)?|doppler\ run(?:\ --)?|dotenv(?:\ -\S+)*(?:\ run)?(?:\ --)?|xvfb-run(?:\ -\S+)*
    |mise\ (?:exec|x)(?:\ \S+)*\ --|direnv\ exec\ \S+|devbox\ run|nix\ develop\ -c
    |python[\d.]*(?:\ -[bBduEIsSX]+)*\ -m
    |(?:ba|z|da)?sh(?=\ \S*\.sh\b)|(?:python[\d.]*|node|ruby|bun|deno\ run(?:\ -\S+)*)(?=\ \S*[/.])
    )\ """,
    re.VERBOSE,
)
"""A program with its options that starts the one behind it. Source: their manuals."""

IMPLIED = later(r"(?:pnpm|yarn|bun) (?!run\b|-)")
"""Package managers that start a program of the project's own by its name."""

FIRST_OPTIONS = later(
    rf"(?P<tool>(?:docker|podman) compose|\S+)(?: (?:-C|-c|-f|-F|-w|--file|--filter|--prefix|--dir"
    rf"|--workspace|--directory|--project-name|--env-file|-p"
    rf"|--profile|-n|--namespace|--context|--kubeconfig){VALUE}| -\S+)+(?= )"
)
"""Options of a tool that stand before what it shall do."""

RUNS_TARGETS = later(
    r"(?:(?:npm|pnpm|yarn|bun) (?:run|run-script) |(?:npm|pnpm) (?=(?:test|t|start)\b)|(?:pnpm|yarn|bun) "
    r"|(?:make|gmake|just|task|rake|poe|inv|invoke|composer(?: run(?:-script)?)?|mise run|deno task"
    r"|hatch run|nox -s|tox -e|mage"
    r"|turbo(?: run)?|nx|lerna run|bin/rails|rails) )(?P<target>[A-Za-z][\w:./-]*)(?= |$)"
)
"""What runs a task by the name that a project gave it."""

IS_FILE = later(
    r"(?:\S*/)?(?P<target>[\w-]+)\.(?:sh|bash|py|js|mjs|ts|rb)(?= |$)|(?:\./|\S*?\b(?:bin|scripts?"
    r"|tools|ci)/)(?P<bare>[\w-]+)(?= |$)"
)
"""A script of the project's own that is run by its path."""

BY_TARGET = {
    "install": "install setup bootstrap deps dependencies",
    "services": "services up infra",
    "run": "run dev start serve server preview runserver",
    "test": "test tests spec specs e2e unit coverage t",
    "lint": "lint linter eslint ruff",
    "format": "format fmt prettier black",
    "typecheck": "typecheck typechecks types type-check type_check mypy pyright tsc",
    "build": "build compile dist bundle",
    "docs": "docs doc",
    "new-migration": "migration makemigrations revision",
    "migrate": "migrate migrations",
    "plan": "plan",
    "deploy": "deploy ship",
    "release": "release publish",
}
"""What a project calls its tasks, a word of the name at a time: `test:unit`, `db-migrate`, `deploy_staging`."""

TARGETS = {word: purpose for purpose, words in BY_TARGET.items() for word in words.split()}

FROM_FILES = frozenset(("install", "services", "test", "lint", "build", "migrate", "deploy", "release"))
"""Purposes that a script's name may tell; `run.py` says nothing."""

TRIES = later(r" (?:--dry-run|--dryrun|--check-only|--noop|--simulate|--plan|--what-if)\b")
"""Options that let a tool say what it would do."""

TRIED = frozenset(("deploy", "release", "migrate"))

RULES = (
    ("plan", r"""
        (?:terraform|tofu|terragrunt) plan | pulumi preview | helm diff | kubectl diff | cdk diff | sqitch status
    """),
    ("docs", r"""
        mkdocs (?:build|serve) | sphinx-(?:build|autobuild) | jekyll build | docusaurus build | typedoc | cargo doc
        rustdoc
    """),
    ("new-migration", r"""
        alembic revision | flask db (?:migrate|revision) | (?:\S*manage\.py|django-admin) makemigrations
        (?:\S*bin/)?rails (?:g|generate) migration | prisma migrate dev | knex migrate:make
        typeorm migration:(?:generate|create) | diesel migration generate | sqlx migrate add | goose(?: \S+)* create
        migrate create | (?:php )?artisan make:migration | dotnet ef migrations add | mix ecto\.gen\.migration
        drizzle-kit generate\S* | sequelize(?:-cli)? migration:generate | dbmate new | atlas migrate diff
        sqitch add | yoyo new | aerich migrate
    """),
    ("migrate", r"""
        alembic upgrade | flask db upgrade | (?:\S*manage\.py|django-admin) migrate
        (?:\S*bin/)?(?:rails|rake) db:migrate\S* | flyway(?: -\S+)* migrate | liquibase(?: -\S+)* update
        prisma (?:migrate deploy|db push) | knex migrate:(?:latest|up) | typeorm migration:run
        diesel migration run | sqlx migrate run | goose(?: \S+)* up | dbmate (?:up|migrate) | migrate(?: \S+)* up
        (?:php )?artisan migrate | dotnet ef database update | mix ecto\.migrate | drizzle-kit (?:push\S*|migrate)
        sequelize(?:-cli)? db:migrate | atlas migrate apply | yoyo apply | sqitch deploy | aerich upgrade
        refinery migrate
    """),
    ("release", r"""
        gh release create | npm publish | pnpm publish | yarn (?:npm )?publish | twine upload
        (?:uv|poetry|pdm|flit|hatch) publish | cargo (?:publish|release) | goreleaser(?: release)?
        semantic-release | changeset publish | gem push | bump(?:2version|version) | npm version
        git tag(?: -[asm]\S*)*(?= v?\d) | git push(?: \S+)*(?= (?:--tags|v\d+\.)) | (?:docker|podman) push
        release-it | lerna publish
    """),
    ("deploy", r"""
        (?:terraform|tofu|terragrunt) apply | pulumi up | kubectl (?:apply|rollout restart)
        helm (?:upgrade|install) | helmfile (?:apply|sync)
        (?:cdk|sam|sls|serverless|firebase|flyctl|fly|wrangler|vercel|netlify|eb|kamal|railway|heroku|modal) deploy
        wrangler publish | vercel(?= --prod) | gcloud (?:app|run|functions) deploy | az \S+ up | cap \S+ deploy
        ansible-playbook | argocd app sync | skaffold run | git push (?:heroku|dokku) | railway up
        docker stack deploy | nomad (?:job )?run
        (?:go run )?(?!(?:echo|cat|ls|cd|git|grep|rg|ssh|scp|man|which|vim?|nano|code|gh|mkdir|rm|cp|mv) )\S+ deploy
    """),
    ("services", r"""
        (?:docker-compose|(?:docker|podman) compose) (?:up|start) | (?:docker|podman) start | brew services start
        (?:sudo )?systemctl start | supabase start | minikube start | colima start | tilt up | podman machine start
        devenv up | process-compose up | overmind start | foreman start
    """),
    ("typecheck", r"""
        mypy | dmypy (?:run|check) | pyright | basedpyright | ty check | pyre(?: check)? | pytype | vue-tsc
        svelte-check | flow check | tsc(?=(?: \S+)* (?:--noEmit|-b\b|--build)) | tsc$ | phpstan | psalm
        (?:bundle exec )?srb tc | mix dialyzer | zuban check
    """),
    ("format", r"""
        ruff format | black | isort | autopep8 | yapf | prettier | gofmt | goimports | gofumpt | cargo fmt | rustfmt
        (?:terraform|tofu) fmt | shfmt | clang-format | dotnet format | mix format | biome format | dprint fmt
        swift-format | ktlint -F | djlint --reformat | zig fmt | go fmt | taplo fmt
    """),
    ("lint", r"""
        ruff(?: check)?(?! format) | flake8 | pylint | eslint | stylelint | oxlint | golangci-lint run | go vet
        staticcheck | cargo clippy | rubocop | shellcheck | hadolint | yamllint | ansible-lint | tflint
        (?:terraform|tofu) validate | pre-commit run | prek run | biome (?:check|lint) | buf lint | mix credo
        sqlfluff lint | markdownlint\S* | ktlint | swiftlint | detekt | lint-imports | vale | standard | xo
        actionlint | deno lint | next lint
    """),
    ("test", r"""
        pytest | py\.test | tox | nox | unittest | nose2 | ward run | \S*manage\.py test | vitest(?: run)? | jest
        mocha | ava | playwright test | cypress run | go test | gotestsum | cargo (?:test|nextest run) | rspec
        (?:\S*bin/)?rails test | rake (?:test|spec) | phpunit | pest | (?:php )?artisan test
        (?:\./)?mvnw? (?:test|verify) | (?:\./)?gradlew? (?:test|check) | dotnet test | mix test | swift test
        ctest | bats | zig build test | bun test | deno test | flutter test | dart test | sbt test | bazel test
        hurl | newman run | karma start | node --test | behave | cucumber
    """),
    ("build", r"""
        vite build | next build | nuxt build | astro build | webpack | rollup | esbuild | tsup | tsc | go build
        cargo build | make$ | cmake --build | ninja | (?:docker|podman) (?:buildx )?build
        (?:docker-compose|(?:docker|podman) compose) build | (?:uv|poetry|pdm|hatch|flit) build | build$
        (?:\./)?mvnw? (?:\S+ )*(?:package|install|compile) | (?:\./)?gradlew? (?:\S+ )*(?:build|assemble)
        dotnet (?:build|publish) | bazel build | mix (?:compile|release) | swift build | zig build | hugo
        flutter build | xcodebuild | maturin (?:build|develop) | wasm-pack build
    """),
    ("run", r"""
        uvicorn | gunicorn | hypercorn | fastapi (?:dev|run) | flask run | \S*manage\.py runserver
        (?:\S*bin/)?rails (?:s|server) | vite(?: dev)?$ | next (?:dev|start) | nuxt dev | astro dev | cargo run
        dotnet (?:run|watch) | mix phx\.server | streamlit run | (?:php )?artisan serve | air$ | nodemon
        hugo server | jekyll serve | datasette serve | jupyter (?:lab|notebook) | npm start | ng serve
        gatsby develop | flutter run
    """),
    ("add", r"""
        (?:uv|poetry|pdm|rye|pixi) add | pipenv install(?= [^-])
        (?:uv )?pip3? install(?! (?:-r|-e|--requirement|\.))(?=(?: -\S+)* [^-. ])
        npm (?:install|i|add)(?=(?: -\S+)* [^- ]) | (?:pnpm|yarn|bun) add | cargo add | go get | bundle add
        composer require | dotnet add package | conda install | mamba install
    """),
    ("install", r"""
        uv sync | (?:uv )?pip3? install | (?:poetry|pdm|pipenv|bundle|composer|pixi) install | npm (?:ci|install|i)
        pnpm (?:install|i) | yarn(?: install)?$ | bun install | go mod (?:download|tidy) | cargo fetch
        mix deps\.get | dotnet restore | pre-commit install | conda env (?:create|update) | rye sync
        shards install | stack setup | flutter pub get | dart pub get
    """),
)  # fmt: skip
"""Which words of a tool mean which purpose, tried in this order. Patterns stand apart by ` | ` or a new line."""


def pattern_of(text: str) -> str:
    """One pattern of a rule's text."""
    return "|".join([each for line in text.split("\n") for each in line.strip().split(" | ") if each])


COMPILED = tuple((purpose, later(rf"(?:{pattern_of(text)})(?=\s|$)")) for purpose, text in RULES)


def use_of(words: Sequence[str]) -> Use | None:
    """What a command is for, whose words have no quotes and no assignments before them; None for anything else."""
    line = " ".join([" ".join(word.split()) or "''" for word in words])
    return use_of_line(f"{program_of(words[0])}{line[len(words[0]) :]}") if words and line else None


def use_of_line(line: str, before: int = 0) -> Use | None:
    """The same of a line whose first word is a program's name; `before` words started it."""
    if another := STARTS_ANOTHER.match(line):
        rest = line[another.end() :]
        first, _, arguments = rest.partition(" ")
        named = first if "/" in first and not in_environment(first) else program_of(first)
        return use_of_line(f"{named} {arguments}".rstrip(), before + another[0].count(" "))
    use = known_use(line)
    if use is None and (options := FIRST_OPTIONS.match(line)):
        skipped = options[0].count(" ") - options["tool"].count(" ")
        use = known_use(options["tool"] + line[options.end() :])
        use = use and Use(use.purpose, use.tool_words + skipped)
    if use is None:
        return None
    purpose = "plan" if use.purpose in TRIED and TRIES.search(line) else use.purpose
    return Use(purpose, before + use.tool_words)


def known_use(line: str) -> Use | None:
    """The same of a line without options of the tool before what it shall do."""
    use = by_target(line) or by_rule(line)
    if use is None and (implied := IMPLIED.match(line)):
        use = by_rule(line[implied.end() :])
        use = use and Use(use.purpose, use.tool_words + 1)
    return use


def by_target(line: str) -> Use | None:
    """The purpose of a task or script that the project named itself, by the words of the name."""
    if found := RUNS_TARGETS.match(line):
        purposes = purposes_named(found["target"])
        return Use(purposes[0], found[0].count(" ") + 1) if purposes else None
    if found := IS_FILE.match(line):
        purposes = [each for each in purposes_named(found["target"] or found["bare"]) if each in FROM_FILES]
        return Use(purposes[0], 1) if purposes else None
    return None


def purposes_named(target: str) -> list[str]:
    """The purposes that the words of a name say, those that say most first: `dev` in `test:dev` says where."""
    words = [target, *re.split(r"[:./_-]+", target)]
    found = list(dict.fromkeys(TARGETS[word] for word in words if word in TARGETS))
    return sorted(found, key=lambda purpose: purpose == "run")


def by_rule(line: str) -> Use | None:
    """The purpose of a tool that the table knows."""
    for purpose, pattern in COMPILED:
        if found := pattern.match(line):
            return Use(purpose, found[0].count(" ") + 1)
    return None


def program_of(word: str) -> str:
    """A program's name, without the folder of an environment or of the system; a project's own path stays."""
    return word.rpartition("/")[2] if in_environment(word) else word


def in_environment(word: str) -> bool:
    """Whether a path leads into an environment of tools, or the system's."""
    return (
        re.match(r"(?:\S*/)?(?:\.?venv|env|node_modules/\.bin|\.tox|usr|opt|target|vendor/bin)(?:/\S*)?/\S+$", word)
        is not None
    )
