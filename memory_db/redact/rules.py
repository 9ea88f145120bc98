"""The tables that `clean.py` applies: what a secret looks like, which blocks are not ours to keep, what an attack says.

Data only. Invariants: every pattern is anchored at one of its literals, or bounded, so that no text costs more than
linear time; a rule without a literal begins with one plain character that the engine can skip to.
"""

from __future__ import annotations

import re

from memory_db.records import dataclass, later
from memory_db.redact.vendors import VENDORS

LAST_GROUP = -1


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One shape of secret: a row of `RULES`.

    `pattern` is matched where one of `literals` stands, `offset` characters from it; without literals it is searched
    for. Only `group` is replaced (`LAST_GROUP`: whichever matched last).
    `fold` ignores case. `check` names a function of `checks.py` that has the last word; `entropy` is the least that the
    match must have, in bits a character.
    """

    name: str
    literals: tuple[str, ...]
    pattern: str
    description: str
    group: int = 0
    fold: bool = False
    offset: int = 0
    check: str = ""
    category: str = "secret"
    entropy: float = 0.0


# What may stand between the lines of a key: line ends, escaped ones, quotes, and the line numbers of a file viewer.
_BETWEEN_LINES = r"(?:\s|\\+[nrt]|[\"'+,>|]|\d{1,6}[→|:\t]){1,24}"
_KEY_LINES = (
    rf"(?:{_BETWEEN_LINES}(?:(?:Proc-Type|DEK-Info|Version|Comment): ?[^\n\\]{{0,200}}|[A-Za-z0-9+/=]{{16,}}))++"
)
_PRIVATE_KEY = (
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    r"(?:[^-]*+(?:-(?!----)[^-]*+)*+-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
    rf"|{_KEY_LINES}(?:{_BETWEEN_LINES}[A-Za-z0-9+/=]{{1,15}}\Z)?)"
)
_KEY_PREFIXES = (
    "api", "access", "secret", "private", "auth", "account", "encryption", "signing", "master", "shared", "storage",
)
_KEY_NAME = "(?:" + "|".join(rf"(?<={prefix})|(?<={prefix}[_ -])" for prefix in _KEY_PREFIXES) + ")key"
_ASSIGN = (
    r"[\"'\\\]]{0,4}[ \t]{0,8}(?:=>|:=|={1,3}"
    r"|:[ \t]{0,4}(?:optional\[str\]|str(?:ing)?(?: ?\| ?none)?|secretstr|any)[ \t]{0,4}=|::?)[ \t]{0,8}"
)
_VALUE = (
    r"(?:[bru]?(?P<quote>\\{0,3}[\"'`])(?P<quoted>(?:(?!(?P=quote))\S){1,400})(?P=quote)"
    r"|(?P<bare>[^\s\"'`,;&|<>\\()\[\]{}]{1,400}+)(?![(\[{]))"
)
_IBM_ASSIGN = r"[\"'\]]{0,3} *(?:=>|:=|::|=|:| ) *[\"']?"

RULES: tuple[Rule, ...] = (
    Rule("private-key", ("-----BEGIN ",), _PRIVATE_KEY,
         "Private key block, whole, escaped or cut short. Source: RFC 7468, RFC 4880, OpenSSH PROTOCOL.key.",
         check="key_body"),
    Rule("putty-key", ("PuTTY-User-Key-File-",),
         r"PuTTY-User-Key-File-\d: [^\n]*+(?:\n(?:[A-Z][A-Za-z0-9-]*: [^\n]*+|[A-Za-z0-9+/=]{1,76}\r?(?=\n|\Z)))*+",
         "PuTTY private key file. Source: PuTTY manual, appendix on the PPK format."),
    Rule("age-key", ("AGE-SECRET-KEY-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{40,}",
         "age identity. Source: age-encryption.org/v1, Bech32 identity."),
    Rule("aws-key-id", ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
         r"(?:A3T[A-Z0-9]|ABIA|ACCA|AKIA|ASIA)[0-9A-Z]{16}"
         r"(?:[\"']?\s{0,3}[,:;/]\s{0,3}[\"']?[A-Za-z0-9/+]{40}(?![A-Za-z0-9/+=]))?",
         "AWS access key id, with the secret key that follows it. Source: AWS IAM, unique identifiers.",
         check="aws_id"),
    Rule("aws-secret-key", ("aws",),
         r"aws[^\n]{0,20}?(?:key|pwd|pw|password|pass|token)[^\n]{0,20}?[\"']([0-9a-z/+]{40})[\"']",
         "AWS secret key in quotes near its name. Source: AWS IAM, access keys of 40 characters.", 1, fold=True),
    Rule("aws-secret-key", ("secret_access_key", "secretaccesskey", "secret-access-key", "secret access key"),
         rf"secret[_ -]?access[_ -]?key{_ASSIGN}[\"']?([0-9a-z/+]{{40}})(?![0-9a-z/+=])",
         "AWS secret key assigned to its name. Source: AWS CLI, credentials file.", 1, fold=True),
    Rule("anthropic", ("sk-ant-",), r"sk-ant-[A-Za-z0-9_-]{16,}",
         "Anthropic key. Source: Anthropic API documentation, x-api-key."),
    Rule("openai", ("sk-",), r"sk-(?:(?:proj|svcacct|admin|None)-[A-Za-z0-9_-]{20,}|(?:or-v1-|lf-)[A-Za-z0-9-]{24,}"
         r"|[A-Za-z0-9_-]{0,48}?[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20,}|[A-Za-z0-9]{32,})",
         "OpenAI key and the services that took over its shape. Source: OpenAI API reference, authentication.",
         check="has_digit"),
    Rule("github", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[pousr]_[A-Za-z0-9_]{36,}",
         "GitHub token. Source: GitHub, authentication token formats."),
    Rule("github", ("github_pat_",), r"github_pat_[A-Za-z0-9_]{22,}",
         "GitHub fine-grained token. Source: GitHub, authentication token formats."),
    Rule("gitlab", ("glpat-", "gldt-", "glft-", "glsoat-", "glrt-", "glcbt-", "glimt-", "glptt-", "glagent-", "gloas-"),
         r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas)-[A-Za-z0-9_-]{20,}(?:\.[a-z0-9.]{8,})?",
         "GitLab token. Source: GitLab, token prefixes."),
    Rule("memory-db", ("mdb_",), r"mdb_[A-Za-z0-9_-]{43,}", "Our own token for programs. Source: api_tokens.py."),
    Rule("gitlab", ("GR1348941",), r"GR1348941[A-Za-z0-9_-]{20,}",
         "GitLab runner token. Source: GitLab, token prefixes."),
    Rule("slack-webhook", ("hooks.slack.com/",),
         r"hooks\.slack\.com/(?:services|workflows|triggers)/(T?[A-Z0-9_]+/[A-Z0-9_/]{8,})",
         "Slack webhook. Source: Slack, incoming webhooks.", 1, fold=True),
    Rule("slack", ("xox", "xapp-"), r"(?:xox[a-z](?:\.xox[a-z])?|xapp)-[A-Za-z0-9-]{10,}",
         "Slack token. Source: Slack, token types.", fold=True, check="has_digit"),
    Rule("google", ("AIza",), r"AIza[A-Za-z0-9_-]{35,}", "Google API key. Source: Google Cloud, API keys."),
    Rule("google-oauth", ("GOCSPX-",), r"GOCSPX-[A-Za-z0-9_-]{20,}",
         "Google OAuth client secret. Source: Google Identity."),
    Rule("google-oauth", ("ya29.",), r"ya29\.[A-Za-z0-9_-]{20,}", "Google access token. Source: Google Identity."),
    Rule("stripe", ("sk_live_", "rk_live_", "sk_test_", "rk_test_"), r"[sr]k_(?:live|test)_[A-Za-z0-9]{16,}",
         "Stripe secret key (the pk_ one is public). Source: Stripe, API keys."),
    Rule("stripe", ("whsec_",), r"whsec_[A-Za-z0-9+/=]{24,}",
         "Stripe webhook secret. Source: Stripe, webhook signatures."),
    Rule("twilio", ("AC", "SK"), r"(?:AC|SK)[a-z0-9]{32}", "Twilio account or key id. Source: Twilio, SID prefixes.",
         check="has_digit"),
    Rule("sendgrid", ("SG.",), r"SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,}",
         "SendGrid key. Source: SendGrid, API keys."),
    Rule("npm", ("npm_",), r"npm_[A-Za-z0-9]{36,}", "npm token. Source: GitHub blog, npm token format."),
    Rule("npm", ("_auth", "_password"),
         r"(?<![a-z0-9])_(?:authtoken|auth|password)[ \t]{0,4}=[ \t]{0,4}[\"']?([a-z0-9+/=_.-]{8,})",
         "Credential of an .npmrc file. Source: npm, npmrc auth settings.", 1, fold=True, check="has_digit"),
    Rule("pypi", ("pypi-",), r"pypi-AgE[A-Za-z0-9_-]{40,}",
         "PyPI token (a macaroon). Source: Warehouse, token scanning."),
    Rule("huggingface", ("hf_",), r"hf_[A-Za-z0-9]{30,}",
         "Hugging Face token. Source: Hugging Face Hub, access tokens."),
    Rule("digitalocean", ("dop_v1_", "doo_v1_", "dor_v1_"), r"do[opr]_v1_[a-f0-9]{64}",
         "DigitalOcean token. Source: DigitalOcean, API tokens."),
    Rule("telegram", (":AA",), r"(?<=\d{8}):(AA[A-Za-z0-9_-]{33})", "Telegram bot token. Source: Telegram Bot API.", 1),
    Rule("telegram", ("api.telegram.org/bot",), r"api\.telegram\.org/bot\d{6,12}:([A-Za-z0-9_-]{20,})",
         "Telegram bot token in its URL. Source: Telegram Bot API.", 1, fold=True),
    Rule("discord", (), r"\.(?<=[A-Za-z0-9_-]{23}\.)[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}(?![A-Za-z0-9_.-])",
         "Discord bot token, its id left in place. Source: Discord, authentication.", check="discord"),
    Rule("discord-webhook", ("/api/webhooks/",), r"/api/webhooks/\d{15,22}/([A-Za-z0-9_-]{40,})",
         "Discord webhook. Source: Discord, webhooks.", 1),
    Rule("azure-storage", ("accountkey=", "sharedaccesskey="), r"(?:account|sharedaccess)key=([a-z0-9+/=]{40,})",
         "Azure account key. Source: Azure Storage, connection strings.", 1, fold=True),
    Rule("azure-sas", ("sig=",), r"(?<=[?&])sig=([a-z0-9%+/=]{40,})",
         "Azure shared access signature. Source: Azure Storage, SAS.",
         1, fold=True),
    Rule("databricks", ("dapi",), r"dapi[a-f0-9]{32}(?:-\d)?", "Databricks token. Source: Databricks, authentication."),
    Rule("mailgun", ("key-",), r"(?<![a-z0-9])key-[a-f0-9]{32}", "Mailgun key. Source: Mailgun, API keys."),
    Rule("mailchimp", ("-us",), r"[0-9a-z]{32}-us[0-9]{1,2}",
         "Mailchimp key. Source: Mailchimp, API keys.", offset=-32),
    Rule("shopify", ("shpat_", "shpca_", "shppa_", "shpss_"), r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
         "Shopify token. Source: Shopify, access token prefixes."),
    Rule("linear", ("lin_api_", "lin_oauth_"), r"lin_(?:api|oauth)_[A-Za-z0-9]{32,}",
         "Linear key. Source: Linear, API keys."),
    Rule("notion", ("secret_", "ntn_"), r"(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,})",
         "Notion integration token. Source: Notion, authorization.", check="has_digit"),
    Rule("vault", ("hvs.", "hvb.", "hvr."), r"hv[sbr]\.[A-Za-z0-9_-]{24,}",
         "Vault token. Source: HashiCorp Vault, tokens."),
    Rule("square", ("sq0csp-", "sq0atp-"), r"sq0(?:csp|atp)-[0-9A-Za-z\\_-]{22,}",
         "Square secret. Source: Square, access tokens."),
    Rule("artifactory", ("AKC", *(f"AP{digit}" for digit in "0123456789ABCDEF")),
         r"(?<![A-Za-z0-9])(?:AKC[A-Za-z0-9]{10,}|AP[0-9A-F][A-Za-z0-9]{8,})(?![A-Za-z0-9])",
         "Artifactory key or encrypted password. Source: JFrog Artifactory, API key.", check="mixed"),
    Rule("ibm-cloud", ("cloudant", "clou_", "cl_", "cl-"),
         rf"(?<![a-z0-9])(?:cloudant|clou|cl)[_-]?(?:api)?(?:key|password|pass|pwd|pw|token){_IBM_ASSIGN}"
         r"([0-9a-f]{64}|[a-z]{24})",
         "Cloudant credential. Source: IBM Cloudant, legacy credentials.", 1, fold=True),
    Rule("ibm-cloud", ("softlayer", "sl_", "sl-"),
         rf"(?<![a-z0-9])(?:softlayer|sl)[_-]?(?:api)?[_-]?(?:key|password|pass|pwd|token){_IBM_ASSIGN}"
         r"([a-z0-9]{64})",
         "SoftLayer key. Source: IBM SoftLayer API.", 1, fold=True),
    Rule("ibm-cloud", ("softlayer.com/soap/",), r"softlayer\.com/soap/v3(?:\.1)?/([a-z0-9]{64})",
         "SoftLayer key in its URL. Source: IBM SoftLayer API.", 1, fold=True),
    Rule("ibm-cloud", ("secret",),
         rf"secret[_-]?(?:access)?[_-]?key{_IBM_ASSIGN}([a-f0-9]{{48}})(?![a-f0-9])",
         "IBM object storage key. Source: IBM Cloud Object Storage, HMAC credentials.", 1, fold=True),
    Rule("groq", ("gsk_",), r"gsk_[A-Za-z0-9]{40,}", "Groq key. Source: GroqCloud, API keys."),
    Rule("xai", ("xai-",), r"xai-[A-Za-z0-9]{60,}", "xAI key. Source: xAI API documentation."),
    Rule("replicate", ("r8_",), r"r8_[A-Za-z0-9]{37}",
         "Replicate token. Source: Replicate HTTP API, authentication."),
    Rule("langsmith", ("lsv2_",), r"lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}", "LangSmith key. Source: LangSmith."),
    Rule("supabase", ("sbp_",), r"sbp_[a-f0-9]{40}",
         "Supabase token. Source: Supabase, access tokens."),
    Rule("tavily", ("tvly-",), r"tvly-[A-Za-z0-9-]{20,}", "Tavily key. Source: Tavily API.", check="has_digit"),
    Rule("figma", ("figd_",), r"figd_[A-Za-z0-9_-]{20,}", "Figma token. Source: Figma REST API.",
         check="has_digit"),
    Rule("docker", ("dckr_",), r"dckr_[po]at_[A-Za-z0-9_-]{20,}", "Docker Hub token. Source: Docker, access tokens."),
    Rule("atlassian", ("ATATT3",), r"ATATT3[A-Za-z0-9_=-]{40,}", "Atlassian token. Source: Atlassian, API tokens."),
    Rule("newrelic", ("NRAK-", "NRJS-", "NRII-"), r"NR(?:AK-[A-Z0-9]{27}|JS-[a-f0-9]{19}|II-[A-Za-z0-9_-]{32})",
         "New Relic key. Source: New Relic, API keys."),
    Rule("posthog", ("phx_",), r"phx_[A-Za-z0-9]{40,}", "PostHog personal key. Source: PostHog API."),
    Rule("vercel", ("vcp_", "vci_", "vca_", "vcr_", "vck_"), r"vc[piark]_[A-Za-z0-9]{24,}",
         "Vercel token. Source: Vercel REST API.", check="has_digit"),
    Rule("fly", ("fo1_", "fm1a_", "fm1r_", "fm2_"),
         r"(?:fo1_[\w-]{43}|fm(?:1[ar]|2)_[A-Za-z0-9+/]{100,}={0,3})",
         "Fly.io token. Source: gitleaks, flyio-access-token."),
    Rule("facebook", ("EAA",), r"(?<![A-Za-z0-9+/])EAA[A-Za-z0-9]{80,}(?![+/=])",
         "Facebook or Square token. Source: Meta, access tokens; Square.", check="mixed"),
    Rule("1password", ("A3-",), r"A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}",
         "1Password secret key. Source: gitleaks, 1password-secret-key."),
    Rule("sourcegraph", ("sgp_",), r"sgp_(?:(?:[a-fA-F0-9]{16}|local)_)?[a-fA-F0-9]{40}",
         "Sourcegraph token. Source: gitleaks, sourcegraph-access-token."),
    Rule("terraform-cloud", (".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}",
         "Terraform Cloud token. Source: gitleaks, hashicorp-tf-api-token.", offset=-14),
    Rule("azure-client", ("Q~",), r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,40}",
         "Azure AD client secret. Source: gitleaks, azure-ad-client-secret.", offset=-4),
    Rule("teams-webhook", (".webhook.office.com/webhookb2/",),
         r"\.webhook\.office\.com/webhookb2/([A-Za-z0-9@/-]{60,})", "Teams webhook. Source: Microsoft Teams.", 1),
    Rule("airtable", (), r"\.(?<=pat[A-Za-z0-9]{14}\.)[a-f0-9]{64}",
         "Airtable token, its id left in place. Source: gitleaks, airtable-personnal-access-token."),
    Rule("jwt", ("eyJ",), r"eyJ[A-Za-z0-9_=-]{8,1000}\.[A-Za-z0-9_=-]{4,}(?:\.[A-Za-z0-9_.+/=-]*)?",
         "JSON web token. Source: RFC 7519.", check="jwt"),
    Rule("url-password", ("://",),
         r"://[^\s:/?#@\[\]<>\"'`]{0,128}:([^\s/@<>\"'`]{1,256}(?:@[^\s/@<>\"'`:]{1,64})?)@(?=[\w\[.-])",
         "Password in a URL. Source: RFC 3986, userinfo.", 1, check="url_password"),
    Rule("authorization", ("authorization",),
         r"authorization[\"'\\]{0,4}[ \t]{0,4}[:=,][ \t]{0,4}[\"'\\]{0,4}"
         r"(?:(?:bearer|basic|token|apikey|key|digest) {1,4})?"
         r"([a-z0-9._~+/=:-]{8,})",
         "Authorization header. Source: RFC 9110, RFC 6750, RFC 7617.", 1, fold=True, check="credential"),
    Rule("authorization", ("bearer ",), r"(?<![a-z])bearer {1,4}([a-z0-9._~+/=-]{20,})",
         "Bearer token. Source: RFC 6750.", 1, fold=True, check="credential"),
    Rule("curl-user", ("curl ",),
         r"curl\b[^\n|;]{0,150}?\s(?:-u|--user)[ =]?(?P<quote>[\"']?)[^\s:\"'$<>]{1,100}:([^\s\"']{1,200})(?P=quote)",
         "Password of curl -u. Source: curl manual, --user.", 2, check="url_password"),
    Rule("password", ("passw", "pwd", "passphrase"),
         rf"(?P<key>passw(?:or)?d|pwd|passphrase){_ASSIGN}{_VALUE}", "Password assigned as a literal. Source: our own.",
         LAST_GROUP, fold=True, check="literal"),
    Rule("secret", ("secret", "token", "key"),
         rf"(?P<key>secret|token|{_KEY_NAME}){_ASSIGN}{_VALUE}",
         "Secret, token or key assigned as a literal. Source: our own.",
         LAST_GROUP, fold=True, check="literal"),
    Rule("password", ("--passw", "sshpass -p"), r"(?P<key>--passw(?:or)?d|sshpass -p)[ =]{0,2}" + _VALUE,
         "Password on a command line. Source: our own.", LAST_GROUP, fold=True, check="literal"),
    Rule("secret", ("--token ", "--api-key ", "--secret "), r"(?P<key>--token|--api-key|--secret) {1,2}" + _VALUE,
         "Secret on a command line. Source: our own.", LAST_GROUP, fold=True, check="literal"),
    *(Rule("card", (), first + r"\d{3}(?<![\w.+/=#-]\d{4})"  # a scan for each first digit: faster than one for all
           r"(?:(?P<gap>[ -])\d{4}(?P=gap)\d{4}(?P=gap)\d{4}|[ -]\d{6}[ -]\d{4,5}|\d{10,12})(?![\w+/=-]|\.\d)",
           "Payment card. Source: ISO/IEC 7812, Luhn.", check="card", category="personal") for first in "23456"),
    Rule("iban", ("iban",),
         r"iban[^a-z0-9\n]{0,12}([a-z]{2}\d{2}(?: ?[a-z0-9]{4}){2,7}(?: ?[a-z0-9]{1,3})?)(?![a-z0-9])",
         "Bank account. Source: ISO 13616, mod 97.", 1, fold=True, check="iban", category="personal"),
    *(Rule(name, (letters,), pattern, f"{name.replace('-', ' ').capitalize()}. Source: gitleaks, {name}.",
           fold=fold, entropy=entropy) for name, letters, pattern, fold, entropy in VENDORS),
)

OWN_BRIEF = "memory-brief"
PRIVATE = "private"
# Tag (a trailing * stands for any ending) -> where such a block comes from.
INJECTED_TAGS: dict[str, str] = {
    PRIVATE: "a person, who wants it left out",
    OWN_BRIEF: "our own brief",
    "memory-portrait": "our own document in a file such as CLAUDE.md",
    "system-reminder": "Claude Code",
    "claude-mem*": "claude-mem",
    "supermemory*": "supermemory",
    "hindsight*": "Hindsight",
    "memem*": "memem",
    "agentmemory*": "agentmemory",
    "relevant-memories": "OpenClaw, mem0",
    "relevant_memories": "OpenClaw",
    "recalled_experience": "regin",
    "recalled-memories": "several memory plugins",
    "memory-context": "several memory plugins",
    "memory_context": "several memory plugins",
    "mem0*": "mem0",
    "openviking-context": "OpenViking",
    "basic-memory*": "basic-memory",
    "user-prompt-submit-hook": "Claude Code, output of hooks",
}

_RULES_OF = r"\b(?:instructions?|prompts?|rules?|directions?|guidelines?|messages?|context|restrictions?)\b"
_HIDDEN = (".env", ".ssh/", "id_rsa", "id_ed25519", ".aws/", "/etc/passwd", "/etc/shadow", "printenv")
_HIDDEN_FILES = r"(?:\.env\b|\.ssh/|id_rsa|id_ed25519|\.aws/|/etc/(?:passwd|shadow)|\.netrc|printenv)"
_GOODS = (
    r"(?:secrets?|credentials?|passwords?|api[ _-]?keys?|tokens?|env(?:ironment)? (?:file|variables?)|\.env"
    r"|private keys?|ssh keys?|conversation|chat history|system prompt)\b"
)

# Source of all: our own reading of published prompt-injection examples; OWASP LLM01 and LLM02 name the classes.
INJECTIONS: tuple[Rule, ...] = tuple(
    Rule(name, tuple(literals.split("|")), pattern, description, fold=True, category="injection")
    for name, literals, pattern, description in (
        ("override", "ignore|disregard|forget|override|bypass",
         r"(?<!\w)(?:ignore|disregard|forget|override|bypass)\b[^.\n]{0,30}?\b(?:previous|prior|above|earlier|preceding"
         rf"|existing|system|all (?:your|other))\b[^.\n]{{0,30}}?{_RULES_OF}", "Sets earlier instructions aside."),
        ("override", "ignorier|vergiss|ignora|olvida|oublie|忽略|无视|無視",
         r"(?:ignorier|vergiss)[^.\n]{0,40}(?:anweisung|regeln)|(?:ignora|olvida)[^.\n]{0,40}instruc"
         r"|oublie[zr]?[^.\n]{0,40}(?:précédent|antérieur|instruc)"
         r"|(?:忽略|无视|無視)[^。\n]{0,12}(?:指令|指示|提示)",
         "The same in other languages."),
        ("new-instructions", "new |updated |real |actual |secret |hidden ",
         r"(?<!\w)(?:new|updated|real|actual|secret|hidden) (?:system )?instructions? ?(?::|are\b|follow)",
         "Announces instructions of its own."),
        ("persona", "you are now|act as|pretend|enable|enter|activate",
         r"you are now (?:in )?(?:an? )?(?:dan\b|unrestricted|unfiltered|jailbroken|developer mode|root\b|a different)"
         r"|(?:act as|pretend (?:to be|you are))[^.\n]{0,30}\b(?:unrestricted|unfiltered|jailbroken"
         r"|without (?:any )?(?:rules|restrictions))|(?:enable|enter|activate) (?:jailbreak|developer mode)\b",
         "Gives the model another character."),
        ("reveal-prompt", "reveal|print|repeat|show|output|leak|dump",
         r"(?:reveal|print|repeat|show|output|leak|dump)\b[^.\n]{0,20}\b(?:your|the) "
         r"(?:full |entire |hidden |initial )?"
         r"(?:system prompt|system message|hidden instructions|initial instructions)", "Asks for the system prompt."),
        ("chat-markup", "<|im_|<|start_header|<|system|[inst]|[/inst]|<<sys>>|### system",
         r"<\|(?:im_start|im_end|system|start_header_id)\|>|\[/?inst\]|<<sys>>|### ?system ?:",
         "Control marks of chat templates."),
        ("conceal", "do not |don't |never |without ",
         r"(?<!\w)(?:do not|don't|never|without)\b[^.\n]{0,12}\b(?:tell(?:ing)?|mention(?:ing)? (?:this|it)"
         r"|inform(?:ing)?"
         r"|notify(?:ing)?|alert(?:ing)?|reveal(?:ing)?(?: this)?|asking|confirming with)\b[^.\n]{0,16}"
         r"\b(?:the |your )?(?:user|human|operator|owner|developer)\b", "Wants the user kept in the dark."),
        ("exfiltrate", "send|post|upload|exfiltrate|forward|transmit|email|e-mail",
         r"(?<!\w)(?:send|post|upload|exfiltrate|forward|transmit|e-?mail)\b[^.\n]{0,60}?\b" + _GOODS
         + r"[^\n]{0,60}?(?:https?://|\bto [\w.+-]{1,64}@|webhook)", "Sends secrets away."),
        ("exfiltrate", "curl |wget |nc ",
         r"(?<!\w)(?:curl|wget|nc) [^\n]{0,120}?(?:@|<|\$\(|`)[^\n]{0,20}?" + _HIDDEN_FILES,
         "Posts a secret file."),
        ("exfiltrate", "|".join(_HIDDEN), _HIDDEN_FILES + r"[^\n|]{0,60}\|[^\n]{0,60}?\b(?:curl|wget|nc)\b",
         "Pipes a secret file to the network."),
        ("exfiltrate", "send|post|upload|exfiltrate|forward|transmit",
         r"(?<!\w)(?:send|post|upload|exfiltrate|forward|transmit)\b[^.\n]{0,30}?\b(?:contents? of"
         r"|everything (?:in|from|you)"
         r"|all (?:the |your |of the )?(?:files|data|messages|code|memories) (?:in|from|of|you))\b[^\n]{0,80}?"
         r"(?:https?://|\bto [\w.+-]{1,64}@|webhook)", "Sends away whatever is there."),
        ("exfiltrate", "curl |wget |nc ",
         r"(?<!\w)(?:curl|wget|nc) [^\n]{0,160}?(?:\$\(|`) ?(?:env|printenv|set|export -p|declare -x)\b",
         "Posts the environment."),
        ("exfiltrate", "env |export -p|declare -x",
         r"(?<![\w.-])(?:env|export -p|declare -x) [^\n|]{0,20}\|[^\n]{0,80}?\b(?:curl|wget|nc)\b",
         "Pipes the environment to the network."),
        ("exfiltrate-image", "![|<img ",
         r"(?:!\[[^\]\n]{0,80}\]\(|<img [^>\n]{0,80}?src=[\"']?)https?://[^)\s\"'>]{0,200}[?&]"
         r"(?:data|payload|exfil|leak|prompt|conversation|history|contents?|secrets?|env|memory|memories)=",
         "An image address that carries data away."),
        ("exfiltrate-image", "![", r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}[?&][\w-]{1,30}=(?:\{|%7b|\$|<|\[)",
         "An image address with a place for data."),
        ("poison-memory", "remember|save|store|add |from now on",
         r"(?:remember|save|store|add)\b[^.\n]{0,40}?\b(?:memory|memories|forever|permanently)\b[^.\n]{0,60}?"
         r"\b(?:always|never|must)\b[^.\n]{0,60}?\b(?:trust|run|execute|approve|install|disable|bypass|skip)\b"
         r"|from now on\b[^.\n]{0,40}?"
         r"\b(?:obey|approve (?:all|every)|trust (?:all|every)|disable (?:all|the) (?:safety|security|checks))",
         "Plants a standing order."),
        ("encoded-command", "base64 ", r"base64 (?:-d|--decode)[^\n]{0,60}?\| ?(?:ba|z|da)?sh\b",
         "Runs what cannot be read."),
        ("fake-authority", "this is|message from|notice from",
         r"(?:this is|message from|notice from) (?:an? )?(?:anthropic|openai|the system administrator)\b[^\n]{0,80}?"
         r"\b(?:must|override|authori[sz]ed|comply)", "Claims to speak for the provider."),
    )
)

# (rule, pattern of characters that nobody sees). Source: Unicode Standard, chapter 23 and Annex 9.
INVISIBLE: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("bidi-control", later("[\u202a-\u202e\u2066-\u2069]+")),
    ("tag-characters", later("(?<![\U0001f3f4\U000e0020-\U000e007f])[\U000e0000-\U000e007f]+")),
    ("zero-width", later(
        "[\u200b\u2060-\u2064\u00ad]+|(?<=.)\ufeff+|(?<=[\x20-\x7e])[\u200c\u200d]+(?=[\x20-\x7e])", re.S)),
    ("variation-selectors", later("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")),
)
# All of them: a text without any, nearly every text, is looked through once.
INVISIBLE_ANY = later(
    "[\u00ad\u200b-\u200d\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
