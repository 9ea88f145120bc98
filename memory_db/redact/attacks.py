"""The tables of what is left out or named: blocks that are not ours to keep, what an attack says, what nobody sees.

Data only; patterns are bounded, as in `rules.py`.
"""

from __future__ import annotations

from memory_db.records import DOTALL, later
from memory_db.redact.rule import Rule

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    import re

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

# A row may end in words of which a text must have one too, where its literals are everyday words.
# Source of all: our own reading of published prompt-injection examples; OWASP LLM01 and LLM02 name the classes.
INJECTIONS: tuple[Rule, ...] = tuple(
    Rule(
        name, tuple(literals.split("|")), pattern, description, fold=True, category="injection",
        beside=tuple(beside),
    )
    for name, literals, pattern, description, *beside in (
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
         r"(?:system prompt|system message|hidden instructions|initial instructions)", "Asks for the system prompt.",
         "system prompt", "system message", "hidden instructions", "initial instructions"),
        ("chat-markup", "<|im_|<|start_header|<|system|[inst]|[/inst]|<<sys>>|### system",
         r"<\|(?:im_start|im_end|system|start_header_id)\|>|\[/?inst\]|<<sys>>|### ?system ?:",
         "Control marks of chat templates."),
        ("conceal", "do not |don't |never |without ",
         r"(?<!\w)(?:do not|don't|never|without)\b[^.\n]{0,12}\b(?:tell(?:ing)?|mention(?:ing)? (?:this|it)"
         r"|inform(?:ing)?"
         r"|notify(?:ing)?|alert(?:ing)?|reveal(?:ing)?(?: this)?|asking|confirming with)\b[^.\n]{0,16}"
         r"\b(?:the |your )?(?:user|human|operator|owner|developer)\b", "Wants the user kept in the dark.",
         "user", "human", "operator", "owner", "developer"),
        ("exfiltrate", "send|post|upload|exfiltrate|forward|transmit|email|e-mail",
         r"(?<!\w)(?:send|post|upload|exfiltrate|forward|transmit|e-?mail)\b[^.\n]{0,60}?\b" + _GOODS
         + r"[^\n]{0,60}?(?:https?://|\bto [\w.+-]{1,64}@|webhook)", "Sends secrets away.",
         "http", "@", "webhook"),
        ("exfiltrate", "curl |wget |nc ",
         r"(?<!\w)(?:curl|wget|nc) [^\n]{0,120}?(?:@|<|\$\(|`)[^\n]{0,20}?" + _HIDDEN_FILES,
         "Posts a secret file."),
        ("exfiltrate", "|".join(_HIDDEN), _HIDDEN_FILES + r"[^\n|]{0,60}\|[^\n]{0,60}?\b(?:curl|wget|nc)\b",
         "Pipes a secret file to the network."),
        ("exfiltrate", "send|post|upload|exfiltrate|forward|transmit",
         r"(?<!\w)(?:send|post|upload|exfiltrate|forward|transmit)\b[^.\n]{0,30}?\b(?:contents? of"
         r"|everything (?:in|from|you)"
         r"|all (?:the |your |of the )?(?:files|data|messages|code|memories) (?:in|from|of|you))\b[^\n]{0,80}?"
         r"(?:https?://|\bto [\w.+-]{1,64}@|webhook)", "Sends away whatever is there.",
         "http", "@", "webhook"),
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
         "Plants a standing order.",
         "memory", "memories", "forever", "permanently", "from now on"),
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
        "[\u200b\u2060-\u2064\u00ad]+|(?<=.)\ufeff+|(?<=[\x20-\x7e])[\u200c\u200d]+(?=[\x20-\x7e])", DOTALL)),
    ("variation-selectors", later("[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}")),
)
# All of them: a text without any, nearly every text, is looked through once.
INVISIBLE_ANY = later(
    "[\u00ad\u200b-\u200d\u202a-\u202e\u2060-\u2069\ufe00-\ufe0f\ufeff\U000e0000-\U000e01ef]"
)
