"""Secrets that are known by what stands before them: names, command lines, file formats, a vendor's name, plain words.

Data only, as in `rules.py`, of which these rows are a part. Invariant: a value without letters of its own goes only
where its surroundings say what it is, and `checks.py` says that it is no word, path, variable or blank.
"""

from __future__ import annotations

from memory_db.redact.shape import ASSIGN, LAST_GROUP, VALUE, Rule

_PASSWORDS = (
    "password", "passwort", "kennwort", "passphrase", "mot de passe", "contraseña", "senha", "wachtwoord", "hasło",
    "пароль", "密码", "密碼", "パスワード", "비밀번호",
)
_IS = r"(?: (?:is|was|ist|war|lautet|est|es|é|è|=)|は|は、|是|为|은|는)"
_SAID = rf"(?:[^\n\w\"'`:=]?[^\n:=\"'`]{{0,40}}?{_IS}(?: now| jetzt)?:? ?|(?<!password)(?<!passphrase): ?)"

VENDOR_NAMES = (
    "adafruit", "adobe", "airtable", "algolia", "alibaba", "asana", "atlassian", "beamer", "bitbucket", "bittrex",
    "cloudflare", "codecov", "cohere", "coinbase", "confluence", "confluent", "contentful", "databricks", "datadog",
    "discord", "droneci", "dropbox", "etsy", "facebook", "fastly", "finicity", "finnhub", "flickr", "freshbooks",
    "gitter", "gocardless", "hashicorp", "heroku", "hubspot", "intercom", "jfrog", "jira", "kraken", "kucoin",
    "launchdarkly", "linear", "linkedin", "lob_", "looker", "mailchimp", "mailgun", "mapbox", "mattermost",
    "messagebird", "netlify", "new-relic", "newrelic", "new_relic", "notion", "nytimes", "okta", "opsgenie",
    "pagerduty", "pinecone", "plaid", "planetscale", "posthog", "pulumi", "rapidapi", "readme", "sendbird", "sendgrid",
    "sendinblue", "sentry", "sidekiq", "slack", "snyk", "sonar", "sourcegraph", "squarespace", "stripe", "sumo",
    "telegram", "travis", "trello", "twilio", "twitch", "twitter", "typeform", "vercel", "yandex", "zendesk",
)
"""Vendors whose tokens have no letters of their own. Source: keywords of gitleaks' rules of July 2026, and ours."""

_TELLING = (
    "secret", "token", "credential", "api key", "apikey", "api-key", "access key", "private key", "license key",
    "licence key", "auth key", "schlüssel", "jeton", "clave", "chave", "密钥", "ключ",
)

FORMS: tuple[Rule, ...] = (
    # Names
    Rule("secret", ("_key",),
         rf"(?<=[a-z0-9])(?P<key>_key(?:_base|_[a-z0-9]{{1,12}})?){ASSIGN}{VALUE}",
         "Value of a name that ends in KEY. Source: our own.", LAST_GROUP, fold=True, check="named_key"),
    Rule("password", ("pass",),
         rf"(?:(?<=[_-])|(?<![a-z0-9]))(?P<key>pass(?:code)?){ASSIGN}{VALUE}",
         "Value of a name that ends in PASS. Source: our own.", LAST_GROUP, fold=True, check="named_pass"),
    Rule("password", ("psk", "pw"), rf"(?:(?<=[_-])|(?<![a-z0-9]))(?P<key>w?psk|pw){ASSIGN}{VALUE}",
         "Key of a wireless network, short for password. Source: wpa_supplicant.conf; our own.",
         LAST_GROUP, fold=True, check="named_pass"),
    Rule("password", ("pass", "pwd"),
         r"#define[ \t]+\w*pass(?:w(?:or)?d)?\w*[ \t]+\"([^\"\n]{4,200})\"|"
         r"(?<=_)(?:pass|pwd)\w{0,12}[ \t]+\"([^\"\n]{4,200})\"",
         "Password defined for a compiler. Source: C preprocessor.", LAST_GROUP, fold=True, check="plain"),
    Rule("password", tuple(_PASSWORDS),
         rf"(?:{'|'.join(_PASSWORDS)}){_SAID}[\"'`]?(?P<said>[^\s\"'`<>,;]{{6,100}}?)(?=[\"'`]|[.,;:!?)]*(?:\s|\Z))",
         "Password told in a sentence. Source: our own.", 1, fold=True, check="told"),
    # Command lines
    Rule("password", ("mysql", "mariadb"),
         r"(?:mysql|mariadb)[a-z-]{0,12}\b[^\n|;]{0,150}?\s-p[\"']?([^\s\"']{3,100})",
         "Password of a MySQL client. Source: MySQL manual, --password.", 1, check="argument"),
    Rule("password", ("redis-cli ",), r"redis-cli [^\n|;]{0,120}?(?:-a|--pass)[ =]{1,2}[\"']?([^\s\"']{3,200})",
         "Password of redis-cli. Source: Redis CLI, -a.", 1, check="argument"),
    Rule("password", (" login ",),
         r" login [^\n|;]{0,150}?\s(?:-p(?!assw) ?|--password[ =])[\"']?([^\s\"'=-][^\s\"']{3,400})",
         "Password of a login, as of docker. Source: docker login, -p.", 1, check="argument"),
    Rule("password", ("htpasswd ",),
         r"htpasswd [^\n|;]{0,20}?-[a-zA-Z]{0,6}b[a-zA-Z]{0,6} [^\n|;]{0,100}? ([^\s\"']{3,100})(?=\s*(?:$|[\n|;&]))",
         "Password of htpasswd -b. Source: Apache, htpasswd.", 1, check="argument"),
    Rule("password", ("ldap",), r"ldap[a-z]{3,8}\b[^\n|;]{0,200}?\s-w [\"']?([^\s\"']{3,100})",
         "Password of an LDAP client. Source: OpenLDAP, -w.", 1, check="argument"),
    Rule("password", ("chpasswd",), r"chpasswd\s{0,3}<<<\s{0,3}[\"']?[\w.-]{1,60}:([^\s\"']{3,100})",
         "Password for chpasswd. Source: shadow, chpasswd.", 1, check="argument"),
    Rule("password", ("echo ", "printf "),
         r"(?:echo|printf) (?:-\w{1,3} )?[\"']?[\w.-]{1,60}:([^\s\"'|]{3,100})[\"']?\s{0,3}\|[^\n]{0,40}?chpasswd",
         "Password piped to chpasswd. Source: shadow, chpasswd.", 1, check="argument"),
    Rule("secret", ("aws configure set",),
         r"aws configure set aws_s[a-z_]{1,40} [\"']?([A-Za-z0-9/+=]{20,})",
         "Secret given to the AWS CLI. Source: aws configure set.", 1),
    Rule("secret", ("secret set ",), r"secret set [^\n|;]{0,100}?(?:-b|--body)[ =]{1,2}[\"']?([^\s\"']{4,400})",
         "Secret given to gh. Source: gh secret set.", 1, check="argument"),
    Rule("secret", ("--from-literal",), r"--from-literal[= ][\"']?[\w.-]{1,80}=([^\s\"']{4,400})",
         "Literal of a Kubernetes secret. Source: kubectl create secret.", 1, check="argument"),
    Rule("secret", ("set -",),
         r"set -[a-z]{1,4} \w*(?:pass|pwd|secret|token|key)\w* [\"']?([^\s\"']{6,400})",
         "Secret given to a variable of fish. Source: fish, set.", 1, fold=True, check="argument"),
    # Formats
    Rule("password", ("identified by ", "identified with "),
         r"identified (?:by|with [\w\"']{1,60} (?:by|as)) [\"']([^\"'\n]{3,200})[\"']",
         "Password in SQL. Source: MySQL, CREATE USER.", 1, fold=True, check="plain"),
    Rule("password", ("password '",), r"password '([^'\n]{3,200})'",
         "Password in SQL. Source: PostgreSQL, CREATE ROLE.", 1, fold=True, check="plain"),
    Rule("password", ("password=n'", "password = n'"), r"password ?= ?n'([^'\n]{3,200})'",
         "Password in SQL. Source: SQL Server, CREATE LOGIN.", 1, fold=True, check="plain"),
    Rule("password", ("login ",),
         r"login [^\s\"']{1,100}\s{1,40}password[ \t]{1,20}([^\s]{3,200})",
         "Password of a .netrc. Source: curl, netrc.", 1, check="argument"),
    Rule("password", (":5432:", ":*:", ":5433:", ":6432:"),
         r":(?:\d{2,5}|\*):[\w*.-]{1,63}:[\w*.-]{1,63}:([^\s:]{3,200})(?=\s|\Z)",
         "Password of a .pgpass. Source: PostgreSQL, the password file.", 1, check="plain"),
    Rule("password-hash", ("$apr1$", "$2y$", "$2b$", "$2a$", "$6$", "$5$", "$argon2"),
         r"\$(?:apr1|2[aby]|6|5|argon2(?:id|i|d))\$[A-Za-z0-9./$,=+-]{20,}",
         "Hash of a password. Source: crypt(5), Apache htpasswd.", check="has_digit"),
    Rule("password", ("<pass", "<pwd"), r"<(pass(?:w(?:or)?d|phrase)?|pwd)>([^<\s]{3,200})</",
         "Password in XML. Source: our own.", 2, fold=True, check="plain"),
    Rule("secret", ("<secret", "<token", "<apikey", "<api_key", "<clientsecret"),
         r"<(?:secret|token|api_?key|clientsecret)>([^<\s]{8,400})</",
         "Secret in XML. Source: our own.", 1, fold=True, check="random"),
    Rule("password", ("variable \"",),
         r"variable \"[^\"\n]*(?:pass|pwd|secret|token|key)[^\"\n]*\"[^}]{0,300}?\bdefault\s{0,10}=\s{0,4}"
         r"\"([^\"\n]{4,400})\"",
         "Default of a Terraform variable. Source: Terraform, input variables.", 1, fold=True, check="plain"),
    Rule("cookie", ("cookie: ", "cookie': '", "cookie\": \""),
         r"cookie[\"']?: [\"']?([\w.%-]{1,80}=[^\s;\"']{1,4000}(?:; ?[\w.%-]{1,80}=[^\s;\"']{1,4000}){0,30})",
         "Cookie of a session. Source: RFC 6265.", 1, fold=True, check="cookie"),
    Rule("url-secret", ("key=", "token=", "auth=", "secret=", "signature=", "password=", "pwd=", "code="),
         r"(?<=[?&_;])(?:(?:api_?|access_?)?(?:key|token)|auth|secret|signature|password|pwd|code)="
         r"([^&\s\"'#<>)\]]{8,400})",
         "Secret in a query string. Source: our own.", 1, fold=True, check="in_url"),
    Rule("url-secret", ("://",), r"://([0-9a-f]{32})@", "Key in a Sentry address. Source: Sentry, DSN.", 1),
    Rule("otp", ("otpauth://",), r"otpauth://[^\s\"']{1,400}?secret=([A-Z2-7]{12,})",
         "Seed of one-time codes. Source: Google Authenticator, key URI format.", 1),
    Rule("otp", ("otp", "verification code", "one-time code", "2fa", "einmalcode", "security code"),
         r"(?<![a-z])(?:otp|verification code|one-time code|2fa(?: code)?|einmalcode|security code)"
         r"(?: code)?(?: is| lautet| ist)?[ :=]{1,3}(\d{3}[ -]?\d{3}(?!\d))",
         "One-time code. Source: RFC 6238.", 1, fold=True),
    Rule("seed-phrase", ("seed phrase", "recovery phrase", "mnemonic", "seed words", "backup phrase"),
         r"(?:seed phrase|recovery phrase|mnemonic|seed words|backup phrase)[^\n\w]{0,6}(?:is|are)?[^\n\w]{0,6}"
         r"((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![a-z])",
         "Words of a wallet. Source: BIP 39.", 1, fold=True),
    *(Rule("bitcoin-key", (), first + r"(?<![A-Za-z0-9]" + first + r")[1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9])",
           "Private key of a wallet. Source: Bitcoin, wallet import format.", check="mixed") for first in "5KL"),
    # Plain words
    Rule("vendor-token", VENDOR_NAMES,
         rf"(?:{'|'.join(VENDOR_NAMES)})[ \t\w.-]{{0,30}}?[\s'\"\\]{{0,3}}"
         r"(?:=>|:=|\?=|\|\||={1,3}|:{1,3}|>|,|\bis\b|\bist\b)"
         r"[`'\"\s=\\]{0,5}(?P<token>[A-Za-z0-9_=+/.-]{16,200})(?![\w/])",
         "Token of a vendor that is named. Source: gitleaks, rules with a name.", 1, fold=True, check="random"),
    Rule("long-token", _TELLING,
         rf"(?:{'|'.join(_TELLING)})[^\n]{{0,40}}?(?<![\w/+.%$-])(?P<token>[A-Za-z0-9_+/=-]{{20,400}})(?![\w/+%-]|\.\w)",
         "Long random text beside a telling word. Source: entropy as detect-secrets and gitleaks use it.",
         1, fold=True, check="beside"),
)
