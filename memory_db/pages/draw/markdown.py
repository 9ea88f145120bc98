"""Markdown as models write it, drawn without anything that a session could do harm with.

In: a text that anybody may have written. Out: markup for a template. Invariants: no element of the text's own, no
picture, no style, no address but http and https; a link tells the other side nothing of this page; control and
direction characters are shown as signs.
"""

from __future__ import annotations

from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup, escape

from memory_db.pages.draw.filters import visible

ADDRESSES = ("http://", "https://")


class Reader(MarkdownIt):
    """CommonMark that leads to nothing but the web."""

    def validateLink(self, url: str) -> bool:  # noqa: N802  # the library's name
        """Whether a link may lead there."""
        return url.lower().startswith(ADDRESSES)


def link_open(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    place: int,
    options: OptionsDict,
    env: EnvType,
) -> str:
    """A link that opens elsewhere and says nothing of where it was."""
    tokens[place].attrSet("rel", "noopener noreferrer nofollow")
    tokens[place].attrs.pop("title", None)
    return renderer.renderToken(tokens, place, options, env)


def image(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    place: int,
    options: OptionsDict,
    env: EnvType,
) -> str:
    """What a picture is said to show; the picture itself is asked of nobody."""
    return str(Markup("<i>picture: {}</i>").format(tokens[place].content or "without a name"))


def heading(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    place: int,
    options: OptionsDict,
    env: EnvType,
) -> str:
    """A heading as a line in bold: the page has headings of its own."""
    return "<p><b>" if tokens[place].nesting == 1 else "</b></p>\n"


def fence(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    place: int,
    options: OptionsDict,
    env: EnvType,
) -> str:
    """A block of code; in which language is not said, as no script colours it."""
    return str(Markup("<pre><code>{}</code></pre>\n").format(escape(tokens[place].content)))


def made() -> MarkdownIt:
    """The reader: CommonMark and tables, with no HTML of the text's own."""
    reader = Reader("commonmark", {"html": False})
    reader.enable("table").disable(["html_block", "html_inline"])
    for name, rule in (("link_open", link_open), ("image", image), ("heading_open", heading),
                       ("heading_close", heading), ("fence", fence), ("code_block", fence)):  # fmt: skip
        reader.add_render_rule(name, rule)
    for name in ("th_open", "td_open", "ordered_list_open"):
        reader.add_render_rule(name, plainly)
    return reader


def plainly(
    renderer: RendererHTML,
    tokens: Sequence[Token],
    place: int,
    options: OptionsDict,
    env: EnvType,
) -> str:
    """An element without its attributes: styles are the page's alone."""
    return f"<{tokens[place].tag}>"


READER = made()


def markdown(text: str) -> Markup:
    """A text as markup."""
    return Markup(READER.render(visible(text)))  # the renderer escapes all that the text has
