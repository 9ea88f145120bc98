"""Everyday shapes: secrets by the name that they have, by the command that takes them, by the sentence around them.

Data only, as `rules.py`: rows of names and commands, and the rules made of them.
"""

# ruff: noqa: E501  # a pattern a line

from __future__ import annotations

from memory_db.redact.rule import ASSIGN, LAST_GROUP, VALUE, Rule

WORD = r"(?:\\{0,2}(?P<quote>[\"'`])(?P<quoted>[^\"'`\n\\]{1,200})(?P=quote)|(?P<bare>[^\s\"'`|;&<>(){}\[\]\\]{1,200}+))"
"""An argument of a command."""

SAID = r"(?:(?P<quote>[\"'`*]{1,2})(?P<quoted>[^\s\"'`*]{4,80})(?P=quote)|(?P<bare>[^\s\"'`|,;()<>]{4,80}?)(?=[.,;:!?)\]]{0,2}(?:[\s\"'`|,;)<]|\Z)))"
"""A word of a sentence, without the sign that ends it."""

ENDED = r"(?!\w|[.:/-]{1,3}\w)"
"""What may follow a code: a sign that ends a sentence, but no more of a number, a version, a time or a path."""

_SECRET_NAME = r"(?:pass|passw(?:or)?d|pwd|pw|secret|token|api_?key|auth|credentials?|key)"

# --- names ----------------------------------------------------------------------------------------------------------

NAMES: tuple[tuple[str, str], ...] = (
    ("pass", r"pass(?:code|phrase)?"), ("pw", "pw"), ("psk", "psk"), ("key", r"key(?:[_-]?(?:base|secret|hash|material))?"),
    ("auth", "auth"), ("access", "access"), ("cred", r"cred(?:ential)?s?"), ("secret_", r"secret_(?:key_base|base|key|value)"),
    ("_salt", "_salt"), ("kennwort", "kennwort"), ("passwort", "passwort"), ("geheimnis", "geheimnis"),
    ("schlüssel", "schlüssel"), ("requirepass", "requirepass"), ("masterauth", "masterauth"), ("pin", "pin"),
)
"""Ends of names beside `password`, `secret`, `token` and `api_key`: letters, and the end as a pattern."""

_SPACED = r"[\"'\]]{0,2}[ \t]{1,4}"
_NAME = rf"(?P<key>[A-Za-z0-9_.-]{{0,40}}{_SECRET_NAME}[A-Za-z0-9_]{{0,20}})"

_NAMED = (
    *(Rule("secret", (letters,), rf"(?P<key>{name})(?:_[a-z0-9]{{1,12}})?{ASSIGN}{VALUE}",
           f"Value under a name that ends in {letters.strip('_')}. Source: our own.", LAST_GROUP, fold=True, check="named")
      for letters, name in NAMES),
    Rule("password", ("requirepass", "masterauth", "psk", "storepass", "keypass", "spring.datasource.password"),
         rf"(?:requirepass|masterauth|(?<![a-z])(?:[\w-]{{1,20}}-)?psk|-?(?:store|key)pass(?:word)?){_SPACED}{WORD}",
         "Password after its name and a space. Source: Redis, wpa_supplicant, keytool, Gradle.", LAST_GROUP, fold=True,
         check="typed"),
    Rule("password", ("passw", "secret", "token", "identified by"),
         r"(?:passw(?:or)?d|secret|token|identified (?:with [\w\"']{1,40} )?by)\s{1,4}n?[\"'](?P<quoted>[^\s\"']{4,100})[\"']",
         "Quoted value after a name and a space, as in SQL. Source: SQL, CREATE USER.", LAST_GROUP, fold=True,
         check="typed"),
    Rule("password", ("create user", "alter user", "grant "),
         r"(?:create user|alter user|grant )[^;\n]{0,160}?identified (?:with [\w\"']{1,40} )?by\s{1,4}[\"'](?P<quoted>[^\s\"']{4,100})[\"']",
         "Password of a database's user. Source: MySQL, CREATE USER.", LAST_GROUP, fold=True, check="argument"),
    Rule("password", ("set password", "password = n", "password=n"),
         r"(?:set password[^\n=]{0,80}=\s{0,4}(?:password\()?|password\s{0,2}=\s{0,2}n)"
         r"[\"'](?P<quoted>[^\s\"']{3,100})[\"']",
         "Password of a database's user. Source: MySQL, SET PASSWORD; SQL Server, CREATE LOGIN.", LAST_GROUP,
         fold=True, check="argument"),
    Rule("secret", ("#define", "setx ", "set -", "env ", "env:", "arg "),
         rf"(?:#define|setx|set -[a-z]{{1,3}}|env|arg)[ \t]{{1,4}}{_NAME}[ \t=]{{1,4}}{WORD}",
         "Value after a name and a space. Source: C, fish, setx, Dockerfile.", LAST_GROUP, fold=True, check="named"),
    Rule("secret", ("$env:",), rf"\$env:{_NAME}\s{{0,4}}=\s{{0,4}}{WORD}", "Variable of PowerShell. Source: PowerShell.",
         LAST_GROUP, fold=True, check="named"),
    Rule("secret", ("name:", "name\":"),
         rf"name[\"']?:[ \t]{{0,4}}[\"']?{_NAME}[\"']?,?\s{{1,40}}[\"']?value[\"']?:[ \t]{{0,4}}{WORD}",
         "Value of a list of names and values. Source: Kubernetes, EnvVar.", LAST_GROUP, fold=True, check="named"),
    Rule("secret", ("key=\"", "name=\"", "id=\""),
         rf"(?:key|name|id)=\"{_NAME}\"\s{{1,20}}value=\"(?P<quoted>[^\"\s]{{4,200}})\"",
         "Value of an XML element by its attribute. Source: .NET, appSettings; Spring.", LAST_GROUP, fold=True,
         check="named"),
    Rule("secret", ("pass", "secret", "token", "apikey", "api_key", "pwd"),
         r"(?<=[<:\w])(?P<key>(?:pass(?:word|wd|phrase)?|secret(?:key)?|token|api_?key|pwd))(?:\s[^<>\n]{0,120})?>"
         r"(?P<quoted>[^\s<>]{4,200})</", "Text of an XML element. Source: W3C XML.", LAST_GROUP, fold=True, check="typed"),
    Rule("secret", ("variable \"",),
         r"variable \"[\w-]{0,40}(?:passw|secret|token|key)[\w-]{0,40}\"\s{0,4}\{[^{}]{0,300}?default\s{0,8}=\s{0,4}"
         r"\"(?P<quoted>[^\"\n]{4,200})\"", "Default of a variable. Source: Terraform, variable.", LAST_GROUP, fold=True,
         check="argument"),
    Rule("secret", ("define(",), rf"define\(\s{{0,2}}[\"']{_NAME}[\"']\s{{0,2}},\s{{0,2}}[\"'](?P<quoted>[^\"'\n]{{4,200}})[\"']",
         "Constant of PHP. Source: PHP, define.", LAST_GROUP, fold=True, check="named"),
    Rule("secret", ("[",), rf"(?<=\w)\[[\"']{_NAME}[\"']\]\s{{0,4}}=\s{{0,4}}[\"'](?P<quoted>[^\"'\n]{{4,200}})[\"']",
         "Value of an item. Source: our own.", LAST_GROUP, fold=True, check="named"),
    Rule("password", (), r":(?P<value>[^\s:@/\"']{3,64})@(?:tcp|unix)\(", "Password of Go's DSN. Source: go-sql-driver.",
         LAST_GROUP, needs="@", check="argument"),
    Rule("password", ("{PLAIN}",), r"\{PLAIN\}(\S{3,80})", "Password of Dovecot. Source: Dovecot, schemes.", 1,
         check="argument"),
    Rule("password-hash", ("$apr1$", "$2y$", "$2b$", "$2a$", "$6$", "$5$", "$y$", "$argon2", "{ssha}", "{sha}"),
         r"(?:\$(?:apr1|2[aby]|[56y]|argon2(?:id|i|d))\$[\w./$,=+-]{20,200}|\{ss?ha\}[\w+/=]{20,80})",
         "Hash of a password. Source: crypt(5), htpasswd.", fold=True, check="has_digit"),
)

# --- commands -------------------------------------------------------------------------------------------------------

_NEXT = r"[^\n|;]{0,160}?\s"
COMMANDS: tuple[tuple[str, str], ...] = (
    ("mysql|mysqldump|mysqladmin|mysqlimport|mariadb|mariadb-dump", rf"{_NEXT}-p(?=[^\s-])"),
    ("redis-cli|valkey-cli|keydb-cli", rf"{_NEXT}(?:-a|--pass)[ =]"),
    ("docker login|podman login|nerdctl login|skopeo login|buildah login|crane auth login|oras login|helm registry login"
     "|az login|oc login|cf login|argocd login|acr login", rf"{_NEXT}(?:-p|--password|--token)[ =]"),
    ("aws configure set", r"[ ][\w.-]{0,40}(?:secret|key|token)[\w.-]{0,20}[ ]"),
    ("gh secret set|gh variable set|glab variable set", rf"{_NEXT}(?:-b|--body|-v|--value)[ =]"),
    ("htpasswd", r"[ ]-[a-zA-Z]{0,6}b[a-zA-Z]{0,6}[ ]\S{1,80}[ ]\S{1,80}[ ]"),
    ("openssl", rf"{_NEXT}(?:-k[ ]|-(?:pass|passin|passout|password)[ ]pass:)"),
    ("zip|unzip|zipcloak", rf"{_NEXT}-P[ ]?"),
    ("7z|7za|7zz|rar|unrar", rf"{_NEXT}-p(?=[^\s-])"),
    ("ssh-keygen", rf"{_NEXT}-[NP][ ]"),
    ("http|https|xh|xhs|httpie", rf"{_NEXT}(?:-a|--auth)[ =][\w.@+-]{{1,60}}:"),
    ("mongo|mongosh|mongodump|mongorestore|mongoexport|mongoimport|twine|cqlsh|rabbitmqadmin|influx|arangosh|couchbase-cli",
     rf"{_NEXT}-p[ ]"),
    ("sqlcmd|bcp|osql|tsql|mosquitto_pub|mosquitto_sub|isql", rf"{_NEXT}-(?:P|pw)[ ]"),
    ("sqlplus|rman|expdp|impdp", r"[ ][\w.-]{1,40}/(?=[^\s@]{3,80}@)"),
    ("smbclient|rpcclient|smbmap|net rpc", rf"{_NEXT}(?:-U|--user)[ =]?[\w.\\/-]{{1,60}}%"),
    ("kubectl create secret|oc create secret", rf"{_NEXT}--from-literal[= ][\w.-]{{1,60}}="),
    ("vault kv put|vault write|vault kv patch|heroku config:set|fly secrets set|flyctl secrets set|doppler secrets set"
     "|railway variables set|supabase secrets set|eb setenv|wrangler secret|firebase functions:config:set",
     rf"{_NEXT}[\w.-]{{0,40}}(?:pass|pw|key|secret|token|auth|cred)[\w.-]{{0,20}}="),
    ("npm config set|yarn config set|pnpm config set", rf"{_NEXT}\S{{0,120}}_(?:authToken|auth|password)[ =]"),
    ("poetry config", r"[ ](?:pypi-token\.\S{1,60}|http-basic\.\S{1,60}[ ]\S{1,60})[ ]"),
    ("cargo login|vault login|wandb login|snyk auth|ngrok authtoken|ngrok config add-authtoken|netlify login --auth",
     r"[ ](?:--[\w-]{1,20}[ =])?(?:token=)?"),
    ("tailscale up|tailscale login", rf"{_NEXT}--auth-?key[ =]"),
    ("net use", r"[ ](?:[^\n|;]{0,120}?[ ])?(?:(?=[^\s\\]{4,80}[ ]/user:)|/user:\S{1,60}[ ](?!/))"),
    ("net user", r"[ ][\w.-]{1,40}[ ](?!/)"),
    ("security add-generic-password|security add-internet-password", rf"{_NEXT}-w[ ]"),
    ("ldapsearch|ldapmodify|ldapadd|ldapwhoami|ldapdelete|ldappasswd", rf"{_NEXT}-[ws][ ]"),
    ("rabbitmqctl add_user|rabbitmqctl change_password", r"[ ][\w.@-]{1,60}[ ]"),
    ("nmcli", rf"{_NEXT}(?:password|(?:802-11-wireless-security|wifi-sec)\.psk)[ ]"),
    ("lftp|ncftp", rf"{_NEXT}-u[ ][\w.@-]{{1,60}},"),
    ("rclone", rf"{_NEXT}pass(?:word)?[ =]"),
    ("iwctl|gpg|gpg2|borg|restic|duplicity", rf"{_NEXT}--passphrase[ =]"),
    ("login", r"[ ]\S{1,80}\s{1,4}password[ ]"),
    ("vercel env add|sudo", r"[ ][^\n|;]{0,120}<<<[ ]?"),
    ("useradd|usermod|adduser", rf"{_NEXT}(?:-p|--password)[ =]"),
    ("psql|pg_dump|pg_restore", r"[ ][^\n|;]{0,120}password="),
)
"""Commands, and what stands between one and the secret that it is given. Source: the manual of each."""


def _command(names: str, between: str) -> Rule:
    each = names.split("|")
    choice = "|".join(name.replace(".", r"\.") for name in sorted(each, key=len, reverse=True))
    shown = f"{', '.join(each[:4])}{' and others' if len(each) > 4 else ''}"
    return Rule("command-password", tuple(f"{name} " for name in each), rf"(?<![\w.-])(?:{choice})(?=\s){between}{WORD}",
                f"What {shown} is given as a secret. Source: the manual of the command.", LAST_GROUP, check="argument")


_COMMANDS = (
    *(_command(names, between) for names, between in COMMANDS),
    Rule("command-password", ("--", "-pass"),
         rf"(?:--(?:[a-z]{{1,16}}-){{0,2}}|(?<=\s)-)(?:pass(?:word|wd|phrase|code)?|pwd|storepass|keypass)[ =]{WORD}",
         "Option of any command that is called password. Source: our own.", LAST_GROUP, check="argument"),
    Rule("command-password", ("echo ", "printf "),
         r"(?:echo|printf)(?: -[neE]{1,3})?[ ]{1,4}(?P<quote>[\"']?)(?:[\w.@-]{1,60}:)?(?P<bare>[^\s\"'|$`]{4,200})(?:\\n)?(?P=quote)"
         r"[ ]{0,4}\|[ ]{0,4}(?:sudo[ ])?(?:chpasswd|passwd|sudo -S|[^\n|]{0,60}(?:--(?:password|pass|token|with-token|key|secret)"
         r"[\w-]{0,10}(?:stdin)?|secret set|env add|login))",
         "What is piped into a command that asks for a secret. Source: chpasswd, sudo -S, docker login.",
         LAST_GROUP, check="argument"),
    Rule("command-password", ("send ",), r"(?<![\w.])send[ ](?:-- )?[\"'](?P<quoted>[^\s\"'$\\]{4,80})\\{1,2}[rn]",
         "What a script of expect types. Source: expect(1).", LAST_GROUP, check="typed"),
    Rule("command-password", ("machine ",), r"machine\s{1,4}\S{1,120}\s{1,10}login\s{1,4}\S{1,80}\s{1,10}password\s{1,4}(\S{3,120})",
         "Password of .netrc. Source: netrc(5).", 1, check="argument"),
    Rule("command-password", (":5432:", ":*:", ":5433:", ":6432:"), r":(?:\d{4}|\*):[\w*.-]{1,60}:[\w*.@-]{1,60}:([^\s:\"']{3,120})",
         "Password of .pgpass. Source: PostgreSQL, the password file.", 1, check="argument"),
)

# --- headers and addresses ------------------------------------------------------------------------------------------

_WEB = (
    Rule("cookie", ("sess", "sid=", "auth", "jwt=", "remember", "csrf", "xsrf", "token="),
         r"(?P<key>(?:sess|sid|auth|jwt|remember|csrf|xsrf|token)[\w.-]{0,24})=(?P<quoted>[^\s;,\"'&]{16,400})",
         "Cookie of a session. Source: RFC 6265.", LAST_GROUP, fold=True, check="token"),
    Rule("url-secret", ("key=", "token=", "secret=", "pass=", "password=", "pwd=", "auth=", "signature=", "code=", "sig="),
         r"(?P<key>key|token|secret|pass|password|pwd|auth|signature|code|sig)=(?P<quoted>[^\s&\"'<>#]{4,400})",
         "Secret in the query of an address. Source: RFC 6750, 2.3; Azure, shared access signature.", LAST_GROUP, fold=True, check="query"),
    Rule("url-password", ("://",), r"://([A-Za-z0-9_-]{20,200})@(?=[\w\[.-])",
         "Token in the place of a user. Source: RFC 3986, userinfo; Sentry, DSN.", 1, check="token"),
)

# --- sentences ------------------------------------------------------------------------------------------------------

_PASSWORD = r"(?:password|passwort|kennwort|passphrase|passwd|pwd|pw|pass)"
_OF = r"(?:[ \t]{1,2}(?:for|of|to|on|in|für|von|zu|des|der)(?:[ ][\w.'-]{1,24}){1,5}?)?"
_IS = r"[\"'`*)]{0,2}[ \t]{0,4}(?:[=:]|(?:is|was|lautet|ist|war|wurde|to|auf|heißt|changed to|set to|reset to))[ \t:]{1,4}"
_NOW = r"(?:(?:now|jetzt|still|noch|simply|just|einfach)[ ])?"
_SENTENCES = (
    Rule("password", ("passw", "kennwort", "passphrase", "pwd", "pw", "pass"),
         rf"(?<![a-z]){_PASSWORD}{_OF}{_IS}{_NOW}{SAID}",
         "Password that a sentence tells. Source: our own.", LAST_GROUP, fold=True, check="typed"),
    Rule("password", ("passw", "kennwort", "passphrase"),
         rf"(?<![a-z])(?:password|passwort|kennwort|passphrase){_OF}[\"'`*)]{{0,2}}[ \t]{{1,4}}(?:is|was|lautet|ist|war)"
         rf"[ \t:]{{1,4}}{_NOW}{SAID}",
         "Words joined to a password that a sentence tells. Source: our own.", LAST_GROUP, fold=True, check="passphrase"),
    Rule("password", ("passw", "kennwort", "passphrase", "pwd", "pw", "pass"),
         rf"(?<![a-z]){_PASSWORD}[ \t|:,`\"'*]{{1,8}}{SAID}",
         "Password right after the word. Source: our own.", LAST_GROUP, fold=True, check="strong"),
    Rule("secret", ("key", "token", "secret", "schlüssel"),
         rf"(?<![a-z])(?:key|token|secret|(?:[\w-]{{0,20}})schlüssel){_OF}{_IS}{_NOW}{SAID}",
         "Key or token that a sentence tells. Source: our own.", LAST_GROUP, fold=True, check="strong"),
    Rule("password", ("use ", "using ", "try ", "take ", "nimm ", "benutze ", "verwende ", "nutze "),
         rf"(?:use|using|try|take|nimm|benutze|verwende|nutze)[ ](?:(?:the|das)[ ])?{SAID}[\"'`*]{{0,2}}[ ](?:as|als|for|für)"
         rf"[ ](?:(?:the|my|our|das|mein)[ ])?(?:[\w-]{{1,20}}[ ])?{_PASSWORD}(?![a-z])",
         "Password that a sentence gives. Source: our own.", LAST_GROUP, fold=True, check="typed"),
    Rule("password", ("log in", "login", "sign in", "credentials", "creds", "zugangsdaten", "logindaten", "anmelden"),
         rf"(?:log ?in|sign ?in|credentials?|creds|zugangsdaten|logindaten|anmelden)[^\n/:]{{0,30}}?[ :]{{1,3}}[\w.@+-]{{2,60}}"
         rf"[ ]?[/:](?!\S*/)[ ]?{SAID}",
         "Name and password side by side. Source: our own.", LAST_GROUP, fold=True, check="typed"),
    Rule("one-time-code", ("otp", "code", "pin", "tan"),
         r"(?<![a-z])(?:(?:otp|2fa|mfa|one-time|verification|security|login|auth(?:entication)?|sms|access)[ -]?(?:code|password|pin)"
         r"|otp|pin|tan|(?:bestätigungs|sicherheits|zugangs|anmelde|einmal)code)(?:[ ]code)?[\"'*]{0,2}[ ]{0,2}"
         r"(?:is|ist|lautet|was|war|:|=)[ :]{1,3}[\"'`*]{0,2}(\d{4,8}|\d{3} \d{3})" + ENDED,
         "One-time code or PIN. Source: our own.", 1, fold=True),
    Rule("one-time-code", ("code", "password", "pin"),
         r"(?:code|password|pin)[\"'*]{0,2}[ ]{0,2}(?:is|ist|lautet|:)[ ]{1,3}[\"'`*]{0,2}(\d{6,8})" + ENDED,
         "Code of a second factor, after a word for it. Source: our own.", 1, fold=True, check="one_time"),
    Rule("seed-phrase", ("seed", "recovery", "mnemonic", "backup phrase", "wiederherstellung"),
         r"(?:seed|recovery|mnemonic|backup|wiederherstellungs?)[ -]{0,2}(?:phrase|words|wörter)?[\w ,()-]{0,30}?(?:is|are|ist|lautet|:|=)"
         r"[\s:\"'`]{1,6}([a-z]{3,8}(?:[ ,]{1,2}[a-z]{3,8}){11,23})(?![a-z])",
         "Words from which a wallet is restored. Source: BIP 39.", 1, fold=True, check="seed"),
    Rule("private-key", ("private key", "privatekey", "private_key", "wif"),
         r"(?:private[ _]?key|wif)[^\n]{0,40}?(?<![A-Za-z0-9])((?:0x)?[a-fA-F0-9]{64}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51})(?![A-Za-z0-9])",
         "Private key of a wallet. Source: Bitcoin, wallet import format; Ethereum.", 1, fold=True),
    Rule("sidekiq-secret", ("contribsys",), r"contribsys[^\n]{0,24}?(?<![a-f0-9])([a-f0-9]{8}:[a-f0-9]{8})(?![a-f0-9])",
         "Credential of Sidekiq's gems. Source: gitleaks, sidekiq-secret.", 1, fold=True),
    Rule("authress", ("sc_", "ext_", "scauth_", "authress_"),
         r"(?<![a-z0-9])(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,120}",
         "Authress key. Source: gitleaks, authress-service-client-access-key.", fold=True),
    Rule("harness", ("pat.", "sat."), r"(?:pat|sat)\.[a-zA-Z0-9_-]{22}\.[a-zA-Z0-9]{24}\.[a-zA-Z0-9]{20}",
         "Harness token. Source: gitleaks, harness-api-key."),
    Rule("maxmind", ("_mmk",), r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk", "MaxMind license key. Source: gitleaks,"
         " maxmind-license-key.", offset=-36),
    Rule("facebook", ("facebook",), r"facebook[^\n]{0,60}?(?<!\d)(\d{15,16}(?:\||%7C)[0-9a-z_-]{27,40})(?![\w-])",
         "Facebook app token. Source: gitleaks, facebook-access-token.", 1, fold=True),
    Rule("freemius", ("secret_key",), r"secret_key[\"']\s{0,4}=>\s{0,4}[\"'](sk_\S{29})[\"']",
         "Freemius key. Source: gitleaks, freemius-secret-key.", 1, fold=True),
    Rule("square", ("EAAA",), r"(?<![A-Za-z0-9+/])EAAA[\w-]{22,60}(?![\w+/=-])",
         "Square token. Source: gitleaks, square-access-token.", check="token"),
)

SHAPES: tuple[Rule, ...] = (*_NAMED, *_COMMANDS, *_WEB, *_SENTENCES)
"""Every everyday shape, in the order in which they name what they find."""
