"""Fake secrets, put together at run time so that no file holds one, and texts that must stay as they are."""

import random
import string

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = string.ascii_letters + DIGITS
HEX = DIGITS + "abcdef"
URLSAFE = ALNUM + "-_"


def chars(alphabet: str, count: int, seed: int = 7) -> str:
    """Characters of a fake secret, the same at every run, with at least one letter and one digit."""
    chance = random.Random(f"{alphabet}{count}{seed}")
    return "".join(chance.choice(alphabet) for _ in range(count - 2)) + ("b7" if "b" in alphabet else "B7")


def key_block(kind: str = "RSA ", lines: int = 3, end: bool = True, joint: str = "\n") -> str:
    body = [chars(ALNUM + "+/", 64, seed) for seed in range(lines)]
    tail = ["-----" + f"END {kind}PRIVATE KEY-----"] if end else []
    return joint.join(["-----" + f"BEGIN {kind}PRIVATE KEY-----", *body, *tail])


def jwt(seed: int = 1) -> str:
    return ".".join(("eyJhbGciOiJIUzI1NiJ9", "eyJzdWIiOiIxMjM0NTY3ODkwIn0", chars(URLSAFE, 43, seed)))


# Tokens that are known by their shape, wherever they stand: rule -> fake secret.
TOKENS: dict[str, tuple[str, str]] = {
    name: (rule, secret)
    for name, rule, secret in (
        ("aws", "aws-key-id", "AKIA" + chars(UPPER + DIGITS, 16)),
        ("aws temporary", "aws-key-id", "ASIA" + chars(UPPER + DIGITS, 16)),
        ("anthropic", "anthropic", "sk-" + "ant-api03-" + chars(URLSAFE, 80)),
        ("openai", "openai", "sk-" + chars(ALNUM, 20) + "T3Blbk" + "FJ" + chars(ALNUM, 20)),
        ("openai project", "openai", "sk-" + "proj-" + chars(URLSAFE, 60)),
        ("openai plain", "openai", "sk-" + chars(ALNUM, 48)),
        ("openrouter", "openai", "sk-" + "or-v1-" + chars(HEX, 64)),
        ("github", "github", "ghp_" + chars(ALNUM, 36)),
        ("github oauth", "github", "gho_" + chars(ALNUM, 36)),
        ("github server", "github", "ghs_" + chars(ALNUM, 36)),
        ("github user", "github", "ghu_" + chars(ALNUM, 36)),
        ("github fine-grained", "github", "github_" + "pat_" + chars(ALNUM, 22) + "_" + chars(ALNUM, 59)),
        ("gitlab", "gitlab", "glpat-" + chars(URLSAFE, 20)),
        ("our own", "memory-db", "mdb_" + chars(URLSAFE, 43)),
        ("gitlab runner", "gitlab", "glrt-" + chars(URLSAFE, 20)),
        ("slack bot", "slack", "xoxb-" + chars(DIGITS, 12) + "-" + chars(ALNUM, 24)),
        ("slack user", "slack", "xoxp-" + chars(DIGITS, 12) + "-" + chars(DIGITS, 12) + "-" + chars(HEX, 32)),
        ("slack app", "slack", "xapp-1-" + chars(UPPER, 11) + "-" + chars(DIGITS, 13) + "-" + chars(HEX, 64)),
        ("groq", "groq", "gsk_" + chars(ALNUM, 52)),
        ("xai", "xai", "xai-" + chars(ALNUM, 80)),
        ("replicate", "replicate", "r8_" + chars(ALNUM, 37)),
        ("langsmith", "langsmith", "lsv2_" + "pt_" + chars(HEX, 32) + "_" + chars(HEX, 10)),
        ("supabase", "supabase", "sbp_" + chars(HEX, 40)),
        ("tavily", "tavily", "tvly-" + chars(ALNUM, 32)),
        ("figma", "figma", "figd_" + chars(URLSAFE, 40)),
        ("docker hub", "docker", "dckr_" + "pat_" + chars(URLSAFE, 27)),
        ("atlassian", "atlassian", "ATATT3" + chars(URLSAFE, 180)),
        ("new relic", "newrelic", "NRAK-" + chars(UPPER + DIGITS, 27)),
        ("posthog", "posthog", "phx_" + chars(ALNUM, 43)),
        ("vercel", "vercel", "vcp_" + chars(ALNUM, 56)),
        ("fly", "fly", "fm2_" + chars(ALNUM + "+/", 120)),
        ("1password", "1password", "-".join(["A3", *(chars(UPPER + DIGITS, 6, n) for n in (1, 2)),
                                              *(chars(UPPER + DIGITS, 5, n) for n in (3, 4, 5, 6))])),
        ("sourcegraph", "sourcegraph", "sgp_" + chars(HEX, 16) + "_" + chars(HEX, 40)),
        ("terraform cloud", "terraform-cloud", chars(ALNUM, 14) + ".atlas" + "v1." + chars(URLSAFE, 64)),
        ("azure client", "azure-client", "Ab38Q~" + chars(URLSAFE, 34)),
        ("google", "google", "AIza" + chars(URLSAFE, 35)),
        ("google oauth", "google-oauth", "GOCSPX-" + chars(URLSAFE, 28)),
        ("stripe", "stripe", "sk_" + "live_" + chars(ALNUM, 24)),
        ("stripe restricted", "stripe", "rk_" + "live_" + chars(ALNUM, 24)),
        ("stripe test", "stripe", "sk_" + "test_" + chars(ALNUM, 24)),
        ("twilio account", "twilio", "AC" + chars(HEX, 32)),
        ("twilio key", "twilio", "SK" + chars(HEX, 32)),
        ("sendgrid", "sendgrid", "SG." + chars(URLSAFE, 22) + "." + chars(URLSAFE, 43)),
        ("npm", "npm", "npm_" + chars(ALNUM, 36)),
        ("pypi", "pypi", "pypi-AgE" + "IcHlwaS5vcmc" + chars(URLSAFE, 80)),
        ("hugging face", "huggingface", "hf_" + chars(ALNUM, 34)),
        ("digitalocean", "digitalocean", "dop_v1_" + chars(HEX, 64)),
        ("databricks", "databricks", "dapi" + chars(HEX, 32)),
        ("mailchimp", "mailchimp", chars(HEX, 32) + "-us12"),
        ("shopify", "shopify", "shpat_" + chars(HEX, 32)),
        ("linear", "linear", "lin_api_" + chars(ALNUM, 40)),
        ("notion", "notion", "ntn_" + chars(ALNUM, 46)),
        ("notion old", "notion", "secret_" + chars(ALNUM, 43)),
        ("vault", "vault", "hvs." + chars(URLSAFE, 90)),
        ("age", "age-key", "AGE-SECRET-" + "KEY-1" + chars(UPPER + DIGITS, 58)),
        ("square", "square", "sq0csp-" + chars(URLSAFE, 43)),
        ("private key", "private-key", key_block()),
        ("openssh key", "private-key", key_block("OPENSSH ")),
        ("pkcs8 escaped", "private-key", key_block("", joint="\\n")),
        ("pkcs8 twice escaped", "private-key", key_block("", joint="\\\\n")),
        ("encrypted key", "private-key", key_block("ENCRYPTED ")),
    )
}
PASSWORD = "hunter" + "2!x"
VALUE = chars(ALNUM, 24)

# Text around a secret: (text, the part that must go, what must stay).
IN_CONTEXT: list[tuple[str, str, str]] = [
    (f"token EAA{chars(ALNUM, 120)} of a page", "EAA" + chars(ALNUM, 120), "of a page"),
    (f"key pat{chars(ALNUM, 14)}.{chars(HEX, 64)} here", chars(HEX, 64), "key pat"),
    (f"https://a.webhook.office.com/webhookb2/{chars(HEX, 8)}@{chars(HEX, 60)}", chars(HEX, 60), ".webhook.office"),
    (f"aws_secret_access_key = {chars(ALNUM + '/+', 40)}", chars(ALNUM + "/+", 40), "aws_secret_access_key = "),
    (f'"SecretAccessKey": "{chars(ALNUM, 40, 2)}"', chars(ALNUM, 40, 2), '"SecretAccessKey": "'),
    (f"see https://hooks.slack.com/services/T{chars(UPPER, 8)}/B{chars(UPPER, 8)}/{VALUE}", VALUE, "hooks.slack.com"),
    (f"AccountName=a;AccountKey={chars(ALNUM, 86)}==;End", chars(ALNUM, 86), "AccountName=a;AccountKey="),
    (f"bot 123456789:AA{chars(URLSAFE, 33)} runs", chars(URLSAFE, 33), "bot 123456789:"),
    (f"discord M{chars(ALNUM, 23)}.{chars(ALNUM, 6)}.{chars(ALNUM, 27)}", chars(ALNUM, 27), "discord M"),
    (f"mailgun key-{chars(HEX, 32)}", chars(HEX, 32), "mailgun "),
    (f"//npm.example.com/:_authToken={chars(HEX, 36)}", chars(HEX, 36), "//npm.example.com/:_authToken="),
    (f"postgres://app:{PASSWORD}@db:5432/main", PASSWORD, "postgres://app:"),
    (f"redis://:{PASSWORD}@cache", PASSWORD, "redis://:"),
    (f"mongodb+srv://u:{PASSWORD}@c.example.net", PASSWORD, "@c.example.net"),
    (f"https://me:{PASSWORD}@example.org/x", PASSWORD, "@example.org/x"),
    ("mysql://u:p@" + "ssw0rd@h/db", "p@" + "ssw0rd", "@h/db"),
    (f"Authorization: Bearer {VALUE}", VALUE, "Authorization: Bearer "),
    (f"curl -H 'authorization: Basic {VALUE}=='", VALUE, "authorization: Basic "),
    (f'"Authorization": "token {VALUE}"', VALUE, '"Authorization": "token '),
    (f"sent bearer {VALUE} along", VALUE, " along"),
    (f"token was {jwt()} here", jwt(), " here"),
    (f'password = "{PASSWORD}"', PASSWORD, "password = "),
    (f"password: {PASSWORD}", PASSWORD, "password: "),
    (f"passwd={PASSWORD} next", PASSWORD, " next"),
    (f"(password: {PASSWORD})", PASSWORD, ")"),
    ("DB_PASSWORD=" + "swordfish", "swordfish", "DB_PASSWORD="),
    ("export PGPASSWORD=" + "tulip", "tulip", "export"),
    (f'{{\\"password\\": \\"{PASSWORD}\\"}}', PASSWORD, '\\"password\\": '),
    (f"'secret' => '{VALUE}'", VALUE, "'secret' => "),
    (f'api_key="{VALUE}"', VALUE, "api_key="),
    (f'API-Key: "{VALUE}"', VALUE, "API-Key: "),
    (f"X-Api-Key: {chars(HEX, 40)}", chars(HEX, 40), "X-Api-Key: "),
    (f'clientSecret: "{VALUE}"', VALUE, "clientSecret: "),
    (f"SECRET_KEY = '{VALUE}'", VALUE, "SECRET_KEY = "),
    (f'password: str = "{PASSWORD}"', PASSWORD, "password: str = "),
    (f'auth_token := "{VALUE}"', VALUE, "auth_token := "),
    (f"mysql --password {PASSWORD} db", PASSWORD, " db"),
    (f"sshpass -p {PASSWORD} ssh h", PASSWORD, " ssh h"),
    (f"curl -u me:{PASSWORD} https://x", PASSWORD, "curl -u me:"),
    (f"curl -s --user 'me:{PASSWORD}' https://x", PASSWORD, "https://x"),
    ("card " + "4111 1111" + " 1111 1111 ok", "1111 1111", "card "),
    ("card " + "5500-0055" + "-5555-5559", "0055-5555", "card "),
    ("card " + "378282" + "246310005.", "246310005", "card "),
    ("amex " + "3782 822463" + " 10005", "822463", "amex "),
    ("IBAN " + "DE89 3704 0044" + " 0532 0130 00", "3704 0044", "IBAN "),
    (f"cut: {key_block(end=False)}", chars(ALNUM + "+/", 64, 1), "cut: "),
    (f"{key_block(end=False)}\nthen prose follows here", chars(ALNUM + "+/", 64, 2), "then prose follows here"),
    ("\n".join(f"{n:6}→{line}" for n, line in enumerate(key_block().split("\n"))), chars(ALNUM + "+/", 64, 1), "0→"),
    (f"PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\n{chars(ALNUM, 64)}\n", chars(ALNUM, 64), ""),
    (f"softlayer_api_key = '{chars(HEX, 64)}'", chars(HEX, 64), "softlayer_api_key"),
    (f"?sv=1&sig={chars(ALNUM, 44)}%3D&x", chars(ALNUM, 44), "&x"),
    (f"https://h.example.org/f.zip?sp=r&sig={VALUE}", VALUE, "?sp=r&sig="),
    (f"the key is {VALUE}, use it", VALUE, "the key is "),
    (f"the api key for staging is now `{VALUE}`", VALUE, "the api key for staging is now "),
    (f"der Schlüssel lautet {VALUE}", VALUE, "der Schlüssel lautet "),
    (f"net use \\\\box\\share /user:me {VALUE} /persistent:no", VALUE, "\\\\box\\share /user:me "),
    (f"net use z: \\\\box\\share {VALUE} /user:me", VALUE, "z: \\\\box\\share "),
]

HASH = "9b2c1f" + chars(HEX, 34)
UUID = "550e8400-e29b-41d4-a716-446655440000"
HARMLESS: list[str] = [
    "the key is user_id", "the key is sha256_of_path", "The key is project_id:session_id", "the token is 64 bytes long",
    "the secret is to start small", "the key is keyboard-v2", "net use z: \\\\box\\share /user:me",
    f"commit {HASH}", f"Merge {HASH[:7]}..{HASH[7:14]}", f"id {UUID}", f"sha256:{chars(HEX, 64)}",
    f'"integrity": "sha512-{chars(ALNUM, 86)}=="', f"data:image/png;base64,iVBORw0KGgo{chars(ALNUM, 400)}",
    f"etag W/\"{chars(HEX, 32)}\"", f"md5 {chars(HEX, 32)}", 'password = os.environ["X"]', "password: str",
    "password: Optional[str] = None", "token=token", "token = get_token()", "password=${DB_PASSWORD}",
    "PASSWORD=$DB_PASSWORD", "password: <password>", "password=<your password>", "password: ********",
    "password: ***", "apiKey: process.env.API_KEY", "api_key=os.getenv('KEY')", "secret = settings.SECRET_KEY",
    "self.password = password", "password=self.password1", "def login(user, password):", "if password == expected:",
    "password=user_password", "password1=password2", "The password: required for login", "Password: incorrect",
    "passwords are hashed with bcrypt", "Enter your password:", "secret: string", "token: Token",
    "type Secret = string",
    '"password": "string"', '"token": "string"', '"password": "auth.password.label"', '"max_tokens": 4096',
    '"input_tokens": 123456, "output_tokens": 20', "token_count = 1234567890", "next_page_token=abc", "key = value",
    "API_KEY=your_api_key_here", 'api_key="YOUR_API_KEY"', 'api_key = "xxxxxxxxxxxxxxxx"', 'api_key="sk-..."',
    "OPENAI_API_KEY=sk-...", "set ANTHROPIC_API_KEY in your shell", "secrets.token_hex(32)", "primary_key=True",
    "SECRET_KEY = config('SECRET_KEY')", "password = input('Password: ')", "password = \"\"", "eos_token = '</s>'",
    "PWD=/home/user/project2", '"pwd": "/home/user/x1"', "secret_name = 'my-secret'", "api_key_file: ./key.pem",
    "http://localhost:8080/path", "https://example.com/a:b", "git@github.com:owner/repo.git", "ssh://git@host:22/x",
    "postgres://user:${PASSWORD}@host/db", "postgres://user:<password>@host/db",
    "mail me@example.com, +49 170 1234567",
    "timestamp 1700000000000000", "1732233600123", '"id": 4111' + "111111111111", "0x4111" + "111111111111",
    "session 4111" + "1111-1111-4111-8111-111111111111", "4111 1111" + " 1111 1112", "call 555 123 4567", "v2.4.5.6.7",
    "-----BEGIN " + "PRIVATE KEY----- is how it starts and -----END " + "PRIVATE KEY----- how it ends",
    "-----BEGIN " + "CERTIFICATE-----\n" + chars(ALNUM, 64) + "\n-----END " + "CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n" + chars(ALNUM, 64) + "\n-----END PUBLIC KEY-----",
    "ssh-ed25519 AAAAC3" + chars(ALNUM, 60),
    "sk-learn and risk-free task-based", "hf_hub_download(repo)", "npm_config_registry=https://npm.example.com",
    "pypi-server", "eyJ.eyJ.eyJ", "Authorization: Bearer <token>", "Authorization: Bearer $TOKEN",
    "Authorization header missing", "bearer authentication is required here", "curl -u $USER:$PASS https://x",
    "curl -u user https://x", "AKIA is the prefix", "xoxb tokens", "ACCESS SKILLS ACADEMY", "en-us12",
    "pk_" + "live_public",
    "APACHELICENSE", "const token = await getToken(user1)", "token: abcdefgh", "secret=hello",
    "tokenizer=bert-base-uncased",
]
