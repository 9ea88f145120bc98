"""What a shell would run for a line, in a form that a pattern can be compared with.

In: the text of a command. Out: its simple commands, each as words with one blank between them. Pure: nothing is run,
expanded or looked up. Invariant: a text that no shell could read gives forms all the same, cruder ones.

    cd /srv && sudo -u me FOO=1 /bin/rm  -rf "$X"; bash -c 'git push --force'
    -> cd /srv | rm -rf $X | /bin/rm -rf $X | git push --force | bash -c git push --force | the whole text

It sees through separators, quotes, assignments, words such as `if` and `do`, programs that start others (`sudo`, `env`,
`xargs`, `timeout` ...), `sh -c`, `eval`, `find -exec`, substitutions and what is fed to a shell. It does not see what a
variable, an alias, a script, another interpreter or another machine makes of a text.
"""

from __future__ import annotations

import re
import shlex

from memory_db.records import later

TYPE_CHECKING = False  # as in typing, which a hook need not load
if TYPE_CHECKING:
    from collections.abc import Iterator

MOST_CHARACTERS = 20_000
"""How much of a command is looked at: a longer one is data with a command in front."""

MOST_FORMS = 400

MOST_LAYERS = 5
"""How deep commands inside commands are looked for."""

SEPARATORS = frozenset(";&|()\n`")
REDIRECTS = frozenset("<>")

ASSIGNMENT = later(r"[A-Za-z_]\w*\+?=")

WORDS_BEFORE = frozenset("if then else elif fi do done while until ! { } time case esac in".split())
"""Words of the shell's own that stand before a command."""

SHELLS = frozenset("sh bash zsh dash ksh ash fish".split())

STARTERS = {
    "sudo": "uUgGpChDRrTt", "doas": "uCa", "env": "uSC", "nice": "n", "ionice": "cnpPu", "nohup": "", "setsid": "",
    "command": "", "builtin": "", "exec": "a", "timeout": "ks", "stdbuf": "ioe", "xargs": "IiLlnPsdEa", "watch": "n",
    "caffeinate": "tw", "chronic": "", "unbuffer": "", "busybox": "",
}  # fmt: skip
"""Programs that start the one named behind them, with their short options that take a value."""

LONG_WITH_VALUE = frozenset(
    "--user --group --chdir --unset --signal --kill-after --adjustment --max-args --max-procs --max-lines --delimiter"
    " --arg-file --replace --interval --split-string --host --prompt --role --type --class --classdata".split()
)
"""Their long options that take one."""

EXECUTES = frozenset("-exec -execdir -ok -okdir".split())
"""What `find` has before a command."""

GIT_WITH_VALUE = frozenset("-C -c --git-dir --work-tree --namespace --exec-path --config-env".split())

SUBSTITUTION = later(r"\$\(((?:[^()]|\([^()]*\))*)\)|`([^`]*)`")

HERE_TEXT = later(
    r"^(?P<before>[^\n]*?)(?<!<)<<(?!<)-?[ \t]*(?P<quote>['\"]?)(?P<end>\w+)(?P=quote)(?P<after>[^\n]*)\n"
    r"(?P<body>.*?)(?:^[ \t]*(?P=end)[ \t]*$|\Z)",
    re.MULTILINE | re.DOTALL,
)
"""A text that a command is fed, to the line that ends it."""

FED_TO_SHELL = later(r"(?:^|[\s|;&/])(?:ba|z|da|k|a|fi)?sh(?:\s|$)")

ROUGHLY = later(r"[;&|()\n`]+")


def command_forms(command: str) -> tuple[str, ...]:
    """The simple commands in a text, and the text as a whole, each once, in the order in which they are found."""
    text = command[:MOST_CHARACTERS].replace("\\\n", " ")
    forms: dict[str, None] = {}
    layers = [(text, 0)]
    while layers and len(forms) < MOST_FORMS:
        inner, depth = layers.pop(0)
        for words in statements(inner, layers, depth):
            for form in forms_of(words):
                forms.setdefault(form)
            if depth < MOST_LAYERS:
                layers += [(each, depth + 1) for each in inside(words)]
    forms.setdefault(" ".join(text.split()))
    return tuple(form for form in forms if form)


def statements(text: str, layers: list[tuple[str, int]], depth: int) -> Iterator[list[str]]:
    """The words of each simple command, what stands before them taken away; what a shell is fed joins the layers."""

    def take_out(found: re.Match[str]) -> str:
        line = f"{found['before']} {found['after']}"
        if FED_TO_SHELL.search(line) and depth < MOST_LAYERS:
            layers.append((found["body"], depth + 1))
        return f"{line}\n"

    text = HERE_TEXT.sub(take_out, text)
    words: list[str] = []
    for token in tokens(text):
        if token is None:
            yield from stripped(words)
            words = []
        else:
            words.append(token)
    yield from stripped(words)


def tokens(text: str) -> Iterator[str | None]:
    """Words without their quotes, and None between commands. Where quotes do not end, words are cut at any blank."""
    try:
        found = list(lexer(text))
    except ValueError:
        for part in ROUGHLY.split(text):
            yield from (word.strip("'\"") for word in part.split())
            yield None
        return
    is_target = False
    for token in found:
        if not SEPARATORS.union(REDIRECTS).issuperset(token):
            if not is_target:
                yield token
            is_target = False
        elif REDIRECTS.intersection(token) and not {"(", ";", "\n", "`"}.intersection(token):
            is_target = True
        else:
            is_target = False
            yield None


def lexer(text: str) -> shlex.shlex:
    """Cuts a text as a POSIX shell does, operators apart."""
    found = shlex.shlex(text, posix=True, punctuation_chars="".join(SEPARATORS | REDIRECTS))
    found.whitespace, found.whitespace_split, found.commenters = " \t\r", True, ""
    return found


def stripped(words: list[str]) -> Iterator[list[str]]:
    """A command without what only starts it; with that too where there was any."""
    rest = list(words)
    while rest:
        if ASSIGNMENT.match(rest[0]) or rest[0] in WORDS_BEFORE:
            rest = rest[1:]
        elif (program := name_of(rest[0])) in STARTERS and len(rest) > 1:
            yield rest
            rest = without_options(rest[1:], STARTERS[program], ends_with_time=program == "timeout")
        else:
            yield rest
            return


def without_options(words: list[str], with_value: str, *, ends_with_time: bool) -> list[str]:
    """What stands behind the options of a program that starts another one."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "--":
            break
        takes_value = option in LONG_WITH_VALUE or (len(option) == 2 and option[1] in with_value)
        if takes_value and rest:
            rest.pop(0)
    return rest[1:] if ends_with_time else rest


def forms_of(words: list[str]) -> Iterator[str]:
    """A simple command as it is written, and as its program is called without a folder."""
    plain = [name_of(words[0]), *words[1:]]
    yield one_line(plain)
    if plain[0] != words[0]:
        yield one_line(words)
    if plain[0] == "git":
        yield one_line(["git", *without_git_options(plain[1:])])


def without_git_options(words: list[str]) -> list[str]:
    """What git is told to do, without where and how."""
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option in GIT_WITH_VALUE and rest:
            rest.pop(0)
    return rest


def inside(words: list[str]) -> Iterator[str]:
    """Commands that stand inside the words of one."""
    program = name_of(words[0])
    if program in SHELLS:
        flags = [place for place, word in enumerate(words) if word[:1] == "-" != word[1:2] and "c" in word]
        yield from words[flags[0] + 1 : flags[0] + 2] if flags else ()
    elif program == "eval":
        yield " ".join(words[1:])
    elif program == "find":
        for place, word in enumerate(words):
            if word in EXECUTES:
                yield shlex.join(words[place + 1 :])
    for word in words:
        if "$(" in word or "`" in word:
            yield from (one or other for one, other in SUBSTITUTION.findall(word))


def name_of(word: str) -> str:
    """A program's name without its folder."""
    return word.rstrip("/").rpartition("/")[2] or word


def one_line(words: list[str]) -> str:
    """Words with one blank between them."""
    return " ".join(" ".join(words).split())
