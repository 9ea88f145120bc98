"""The share of secrets that is taken out, by kind and by the way they are wrapped, of strings made when this runs.

`pytest -s tests/redact/test_shares.py` prints it.
"""

from __future__ import annotations

import random
import string
from base64 import b64encode
from collections.abc import Callable
from urllib.parse import quote

from memory_db.redact.clean import redact
from tests.support.redact_cases import TOKENS

CHANCE = random.Random(15)
BASE62 = string.ascii_letters + string.digits
LOWER = string.ascii_lowercase
HEX = "0123456789abcdef"


def drawn(length: int, letters: str = BASE62) -> str:
    """A text drawn by chance, with a digit and a letter in it."""
    while True:
        found = "".join(CHANCE.choices(letters, k=length))
        if any(map(str.isdigit, found)) and any(map(str.isalpha, found)):
            return found


def password() -> str:
    return "".join(CHANCE.choices(LOWER, k=6)) + CHANCE.choice("!#%+_-") + drawn(4)


def words(count: int) -> str:
    return " ".join(CHANCE.choice(WORDS) for _ in range(count))


WORDS = (
    "river", "stone", "basket", "morning", "window", "paper", "garden", "silver", "market", "bridge", "yellow",
    "carbon", "ladder", "meadow", "ocean", "pepper", "quiet", "rocket", "saddle", "timber", "update", "velvet",
    "winter", "zebra",
)  # fmt: skip

LOOKS_LIKE = str.maketrans("aeopcxABEKMHOPCTX", "аеорсхАВЕКМНОРСТХ")
WIDE = {code: chr(code + 0xFEE0) for code in range(0x21, 0x7F)}

CARRIERS: dict[str, Callable[[str], str]] = {
    "plain": lambda secret: secret,
    "prose": lambda secret: f"then I put {secret} into the form, ok?",
    "shell": lambda secret: f"export SOME_NAME={secret}\nmake run",
    "JSON": lambda secret: '{"a": 1, "b": "' + secret + '", "c": null}',
    "YAML": lambda secret: f"env:\n  - name: x\n    value: {secret}\n",
    "diff": lambda secret: f"@@ -1,2 +1,2 @@\n-value = 'x'\n+value = '{secret}'\n",
    "URL": lambda secret: f"https://host.example/path?x={secret}&y=2",
    "log": lambda secret: f"2026-11-02T10:00:00Z INFO client: sent {secret} (200)",
    "base64": lambda secret: "data: " + b64encode(f"value={secret}\n".encode()).decode(),
    "URL escapes": lambda secret: "q=" + quote(secret, safe="").replace("-", "%2D").replace("_", "%5F"),
    "JSON escapes": lambda secret: '"' + secret[:2] + f"\\u{ord(secret[2]):04x}" + secret[3:] + '"',
    "joined strings": lambda secret: f'x = "{secret[:9]}" + "{secret[9:]}"',
    "continued line": lambda secret: f"echo {secret[:12]}\\\n{secret[12:]} > file",
    "zero width": lambda secret: f"it is {secret[:7]}\u200b{secret[7:]} now",
    "full width": lambda secret: f"it is {secret.translate(WIDE)} now",
    "look-alike": lambda secret: f"it is {secret.translate(LOOKS_LIKE)} now",
    "ANSI": lambda secret: f"\x1b[32m{secret[:8]}\x1b[0m\x1b[1m{secret[8:]}\x1b[0m",
}

SHAPES: dict[str, Callable[[], tuple[str, str]]] = {}
"""Everyday shapes: from nothing to a secret and a text that has it."""


def shape(name: str, text: str, make: Callable[[], str] = password) -> None:
    """A shape from a text with one place for the secret."""

    def made() -> tuple[str, str]:
        secret = make()
        return secret, text.replace("@@", secret)

    SHAPES[name] = made


def token() -> str:
    return drawn(32)


for name, text in {
    "password in English": "the password for staging is @@ for now",
    "password was": "sorry, the db password was @@, changed it",
    "password in German": "Das Passwort lautet @@ und gilt bis Freitag",
    "password in German, short": "Passwort: @@",
    "password in French": "le mot de passe est @@, merci",
    "password in Spanish": "la contraseña es @@ por ahora",
    "password in Portuguese": "a senha é @@ mesmo",
    "password in Chinese": "密码是 @@ 请保存",
    "mysql -p": "mysql -u root -p@@ shop < dump.sql",
    "mysqldump -p": "mysqldump --single-transaction -h db -u app -p'@@' shop > out.sql",
    "docker login -p": "docker login registry.example.com -u ci -p @@",
    "redis-cli -a": "redis-cli -h cache -a @@ ping",
    "sshpass": "sshpass -p @@ ssh root@box",
    "curl -u": "curl -u admin:@@ https://box.example/api",
    "ldapsearch": "ldapsearch -x -D cn=admin -w @@ -b dc=example",
    "htpasswd": "htpasswd -bc /etc/nginx/users sam @@",
    "chpasswd": "echo 'sam:@@' | chpasswd",
    "PGPASSWORD": "PGPASSWORD=@@ psql -h db shop",
    "pgpass": "db.example:5432:shop:app:@@",
    "netrc": "machine api.example.com login sam password @@",
    "URL with password": "postgres://app:@@@db:5432/shop",
    "CREATE USER": "CREATE USER app WITH PASSWORD '@@';",
    "IDENTIFIED BY": "CREATE USER 'app'@'%' IDENTIFIED BY '@@';",
    "ALTER ROLE": "alter role app password '@@'",
    "XML password": "<server><username>sam</username><password>@@</password></server>",
    "SMTP_PASS": "SMTP_PASS=@@",
    "DB_PASS in YAML": "  DB_PASS: @@",
    "pass in JSON": '{"user": "app", "pass": "@@"}',
    "pass in YAML": "user: app\npass: @@\n",
    "psk": 'network={\n  ssid="home"\n  psk="@@"\n}',
    "define": '#define WIFI_PASSWORD "@@"',
    "Terraform default": 'variable "db_password" {\n  type = string\n  default = "@@"\n}',
    "Kubernetes literal": "kubectl create secret generic db --from-literal=password=@@",
    "pw in prose": "user sam, pw: @@",
    "connection string": "Server=db;Database=shop;User Id=app;Password=@@;Encrypt=true",
    "properties file": "spring.datasource.password=@@",
    "ini file": "[client]\nuser=root\npassword=@@",
    "Python code": 'conn = connect(host="db", password="@@")',
    "openssl": "openssl pkcs12 -export -passout pass:@@ -in x.pem",
}.items():
    shape(name, text)

for name, text in {
    "STRIPE_KEY": "STRIPE_KEY=@@",
    "SECRET_KEY_BASE": "SECRET_KEY_BASE=@@",
    "APP_KEY in YAML": "  APP_KEY: @@",
    "api key in prose": "my api key is @@ please use it",
    "token in prose": "use the token @@ until monday",
    "API-Schlüssel": "der Schlüssel ist @@ für den Testserver",
    "bearer": "curl -H 'Authorization: Bearer @@' https://x.example",
    "x-api-key": "curl -H 'X-Api-Key: @@' https://x.example",
    "?key=": "https://maps.example/v1?key=@@&q=oslo",
    "access_token=": "https://hub.example/feed?access_token=@@",
    "cookie": "Cookie: theme=dark; sessionid=@@",
    "Set-Cookie": "Set-Cookie: sid=@@; Path=/; HttpOnly",
    "gh secret set": "gh secret set DEPLOY -b @@",
    "fish": "set -x API_TOKEN @@",
    "aws configure": "aws configure set aws_session_token @@",
    "vendor in code": "datadog_app = '@@'",
    "vendor in prose": "algolia admin: @@",
    "JSON token": '{"refresh_token": "@@"}',
    "TOML": 'api_key = "@@"',
    "JavaScript": "const apiKey = '@@';",
    "XML token": "<token>@@</token>",
    "npmrc": "//registry.example.com/:_authToken=@@",
    "CLI option": "deploy --token @@ --yes",
    "azure key": "AccountKey=@@@@@@==;EndpointSuffix=x",
}.items():
    shape(name, text, token)

shape("hex token", "the deploy token is @@ now", lambda: drawn(40, HEX))
shape("Sentry DSN", "https://@@@o12.ingest.sentry.example/34", lambda: drawn(32, HEX))
shape("one-time code", "your verification code is @@", lambda: drawn(6, string.digits + "a").replace("a", "7"))
shape("otpauth", "otpauth://totp/x?secret=@@&issuer=y", lambda: drawn(24, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"))
shape("seed phrase", "seed phrase: @@", lambda: words(12))
shape(
    "private wallet key",
    "sweep @@ to the new wallet",
    lambda: "K" + drawn(51, BASE62.translate({ord(c): None for c in "0OIl"})),
)
shape("bcrypt", "sam:@@", lambda: "$2y$05$" + drawn(53))
shape("Kubernetes data", "data:\n  password: @@\n", lambda: b64encode(password().encode() + b"12").decode())

INNOCENT: dict[str, Callable[[], str]] = {
    "uuid": lambda: f"id: {drawn(8, HEX)}-{drawn(4, HEX)}-{drawn(4, HEX)}-{drawn(4, HEX)}-{drawn(12, HEX)}",
    "commit": lambda: f"commit {drawn(40, HEX)}\nAuthor: Sam",
    "commit of a token change": lambda: f"{drawn(7, HEX)} Rename token to key, see commit {drawn(40, HEX)}",
    "integrity": lambda: f'"integrity": "sha512-{drawn(86)}=="',
    "digest": lambda: f"FROM python@sha256:{drawn(64, HEX)}",
    "lock file": lambda: f'name = "{words(1)}"\nchecksum = "{drawn(64, HEX)}"',
    "identifier": lambda: f'token: "IDENTIFIER_{CHANCE.randrange(10)}"',
    "storage key": lambda: f'storage_key: "theme-settings-v{CHANCE.randrange(10)}"',
    "cache key": lambda: f'cache_key = "user:{CHANCE.randrange(999)}:profile:v2"',
    "primary key": lambda: f"primary_key = order_line_{CHANCE.randrange(99)}",
    "code": lambda: f"key = get_{CHANCE.choice(WORDS)}_key(request, {CHANCE.randrange(9)})",
    "attribute": lambda: f"self.token = parser.next_token({CHANCE.randrange(9)})",
    "environment": lambda: f"API_KEY=${{{CHANCE.choice(WORDS).upper()}_KEY}}",
    "placeholder": lambda: "api_key: your-api-key-here",
    "path": lambda: f"/usr/share/{CHANCE.choice(WORDS)}/token-{CHANCE.randrange(9)}/key.pem",
    "prose on passwords": lambda: f"the password is stored as a hash, the {CHANCE.choice(WORDS)} page asks for it",
    "prose on tokens": lambda: f"each token is {CHANCE.randrange(9)} bytes, the key of the {CHANCE.choice(WORDS)} map",
    "tests pass": lambda: f"PASS: tests/test_{CHANCE.choice(WORDS)}_{CHANCE.randrange(9)}.py",
    "pass count": lambda: f"pass: {CHANCE.randrange(999)}, fail: 0",
    "camel case": lambda: f"secretManager{CHANCE.choice(WORDS).title()}Client2.accessTokenProvider()",
    "CSS": lambda: f".key-{CHANCE.choice(WORDS)}-{CHANCE.randrange(99)} {{ color: #a1b2c3; }}",
    "number": lambda: f"order {CHANCE.randrange(10**11, 10**12)} was shipped",
    "time": lambda: "2026-11-02T10:00:00.123456+01:00 INFO 42 requests",
    "version": lambda: f"token-bucket=={CHANCE.randrange(9)}.{CHANCE.randrange(20)}.1",
    "import": lambda: f"from app.{CHANCE.choice(WORDS)} import secret_key_for, token_of",
    "picture": lambda: f"data:image/png;base64,iVBORw0KGgo{drawn(300)}",
    "URL": lambda: f"https://host.example/{CHANCE.choice(WORDS)}/{drawn(8, HEX)}?page={CHANCE.randrange(9)}&key=name",
    "i18n": lambda: f'"settings.password.hint": "Your password is {CHANCE.choice(WORDS)} and safe"',
    "SQL": lambda: f"select token_id, key_name from api_tokens where user_id = {CHANCE.randrange(999)}",
    "make": lambda: f"make {CHANCE.choice(WORDS)} PASSES={CHANCE.randrange(9)} KEY={CHANCE.choice(WORDS)}",
    "etag": lambda: f'ETag: W/"{drawn(32, HEX)}"',
    "request id": lambda: f"request_id={drawn(32, HEX)} path=/auth/token status=200",
    "German": lambda: f"Der Schlüssel {CHANCE.choice(WORDS)} fehlt in der Tabelle, das Passwort ist abgelaufen",
    "login": lambda: f"gh auth token | docker login {CHANCE.choice(WORDS)}.example --password-stdin -u sam",
    "hotkey": lambda: f"hot_key: ctrl+shift+{CHANCE.choice('abcdef')}",
    "type": lambda: "password: string; token?: Token | null",
    "joined strings": lambda: f'"{CHANCE.choice(WORDS)} of " + "{CHANCE.choice(WORDS)} and token"',
}
"""What stands in transcripts every day and is no secret."""


def share(made: list[bool]) -> float:
    return sum(made) / len(made)


def is_gone(secret: str, text: str) -> bool:
    """Whether neither a secret nor its wrapped form is left."""
    cleaned, _ = redact(text)
    return secret not in cleaned and cleaned != text


def test_tokens_with_letters_of_their_own_go_in_every_carrier() -> None:
    shares = {
        name: share([is_gone(secret, carry(secret)) for _, secret in TOKENS.values()])
        for name, carry in CARRIERS.items()
    }
    print("\ntokens by carrier:", {name: round(each, 3) for name, each in shares.items()})
    assert min(shares.values()) >= 0.95, shares


def test_everyday_shapes_go() -> None:
    found = {name: [is_gone(*make()) for _ in range(20)] for name, make in SHAPES.items()}
    missed = {name: share(each) for name, each in found.items() if share(each) < 1}
    every = [one for each in found.values() for one in each]
    print(f"\neveryday shapes: {share(every):.3f} of {len(found)}; less than all of", missed)
    assert share(every) >= 0.85, missed


def test_innocent_texts_stay() -> None:
    texts = [(name, make()) for name, make in INNOCENT.items() for _ in range(30)]
    changed = [(name, redact(text)[0]) for name, text in texts if redact(text)[0] != text]
    print(f"\ninnocent texts: {len(changed)} of {len(texts)} changed", dict.fromkeys(name for name, _ in changed))
    assert len(texts) >= 1000 and len(changed) < 0.01 * len(texts), changed[:20]
