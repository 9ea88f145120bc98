"""What a command is for."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_db.text.commands.purposes import PURPOSES, RULES, TARGETS, use_of

COMMANDS = {
    "install": ["uv sync", "npm ci", "npm install", "pip install -r requirements.txt", "pip install -e .",
                "bundle install", "go mod download", "make install", "pnpm install --frozen-lockfile"],
    "add": ["uv add httpx", "npm install -D vitest", "pip install requests", "pnpm add d3",
             "cargo add serde", "go get x"],
    "services": ["docker compose up -d", "docker compose -f dev.yml up -d", "docker-compose up", "make up"],
    "run": ["npm run dev", "npm start", "uvicorn app:app --reload", "flask run",
             "python manage.py runserver", "cargo run",
            "uv run fastapi dev", "make serve", "bin/rails s"],
    "test": ["uv run pytest -q", "uv run --env-file .env pytest", ".venv/bin/python -m pytest", "npm test", "npm t",
             "npm run test:unit", "pnpm vitest run", "npx jest", "go test ./...", "cargo test", "make test",
             "make -j4 test",
             "make -C web test", "tox", "bundle exec rspec", "./gradlew test", "docker compose exec -T web pytest",
             "python -m unittest", "yarn test", "just test", "mvn test", "nox -s tests"],
    "lint": ["uv run ruff check", "ruff .", "npx eslint src", "golangci-lint run", "go vet ./...",
             "cargo clippy", "pnpm lint",
             "pre-commit run -a", "make lint", "terraform validate"],
    "format": ["ruff format", "black .", "npx prettier -w .", "gofmt -w .", "cargo fmt", "terraform fmt", "make fmt"],
    "typecheck": ["mypy memory_db", "uv run mypy", "npx tsc --noEmit", "tsc", "pyright", "npm run typecheck"],
    "build": ["npm run build", "go build ./cmd/quay", "docker build -t x .", "make",
             "cargo build --release", "uv build",
              "python -m build", "mvn clean package", "npx tsc -p ."],
    "docs": ["mkdocs build", "make docs", "sphinx-build docs out"],
    "new-migration": ["uv run alembic revision -m x", "python manage.py makemigrations", "npx prisma migrate dev"],
    "migrate": ["uv run alembic upgrade head", "alembic -c x.ini upgrade head", "python manage.py migrate",
                "docker compose exec web python manage.py migrate", "bin/rails db:migrate", "flyway -url=x migrate",
                "npx prisma migrate deploy", "npm run db:migrate", "just migrate", "sqlx migrate run", "dbmate up"],
    "plan": ["terraform plan -out=x", "quay deploy x --dry-run", "helm diff upgrade x",
             "alembic upgrade head --dry-run"],
    "deploy": ["terraform apply", "terraform -chdir=infra apply", "kubectl -n prod apply -f k8s",
             "helm upgrade x", "fly deploy",
               "./scripts/deploy.sh staging", "bash scripts/deploy.sh", "go run ./cmd/quay deploy x",
             "make deploy-staging"],
    "release": ["git tag v1.0.0", "git push origin v1.0.0", "npm publish", "gh release create v1",
             "twine upload dist/*",
                "cargo publish", "make release", "uv publish"],
    "": ["ls", "cd x", "git status", "git push", "git tag", "echo deploy", "grep -r deploy .",
             "ssh deploy uptime", "vim deploy",
         "uv run python -m tidepool.jobs once", "python scripts/check_health.py", "npx playwright install",
             "cat Makefile",
         "alembic downgrade -1", "uv run alembic heads", "go run ./cmd/quay version", "terraform init"],
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "purpose"), [(line, purpose) for purpose, lines in COMMANDS.items() for line in lines]
)
def test_a_command_is_for_what_its_tool_does(line: str, purpose: str) -> None:
    use = use_of(line.split())
    assert (use.purpose if use else "") == purpose


def test_the_list_of_purposes_is_closed() -> None:
    assert {purpose for purpose, _ in RULES} | set(TARGETS.values()) == set(PURPOSES) == set(COMMANDS) - {""}


@given(st.lists(st.text(max_size=12), max_size=8), st.sampled_from(COMMANDS["test"] + COMMANDS["migrate"] + ["", "x"]))
def test_whatever_follows_the_words_of_the_tool_are_in_front(more: list[str], line: str) -> None:
    words = [*line.split(), *more]
    use = use_of(words) if words and words[0] else None
    if use is not None:
        assert use.purpose in PURPOSES and 1 <= use.tool_words <= len(words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("uv run alembic upgrade head", 4),
        ("docker compose -f dev.yml up -d", 5),
        ("pytest -q", 1),
        ("npm test -- x", 2),
    ],
)
def test_words_of_the_tool_are_counted(line: str, words: int) -> None:
    use = use_of(line.split())
    assert use is not None and use.tool_words == words
