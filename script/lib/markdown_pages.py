# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""What the scripts know of Markdown: blocks of code, links, headings and their anchors."""

import re

FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
# A block, with the comment before it: why it is not run, or the code that it needs to be built.
BLOCK = re.compile(
    r"^(?:<!-- (not-run|built-only): ([^\n]*) -->\n|<!-- built-after:\n((?:(?!-->).)*?)^-->\n)?```(\w*)\n(.*?)^```$",
    re.MULTILINE | re.DOTALL)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def slug(heading):
    """The anchor that GitHub gives to a heading."""
    text = re.sub(r"[^\w\- ]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower())
    return text.replace(" ", "-")


def headings(text):
    return re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)


def without_code(text):
    """A page without blocks and pieces of code, in which nothing is a link."""
    return re.sub(r"`[^`\n]+`", "", FENCE.sub("", text))
