# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes one DocC catalog of the articles in Sources, the pages in docs and the front page in docs/site.

usage: site-catalog.py FOLDER

Links between pages become links of DocC, which finds those that lead nowhere. Links to other files of the repository
become text, because the site does not have these files.
"""

import glob
import os
import re
import shutil
import sys

from markdown_pages import FENCE, LINK, headings, read, slug

def fragment(heading):
    """The anchor that DocC gives to a heading: words joined by hyphens, without punctuation at their ends."""
    words = re.sub(r"[`*]", "", heading).split()
    return "-".join(filter(None, (word.strip(".,:;!?()'\"") for word in words)))


pages = sorted(glob.glob("docs/*.md")) + sorted(glob.glob("Sources/*/*.docc/*.md"))
anchors = {path: {slug(heading): fragment(heading) for heading in headings(read(path))} for path in pages}


def converted(path, match):
    image, text, target = match.groups()
    if re.match(r"[a-z]+:", target):
        return match[0]
    file, _, anchor = target.partition("#")
    file = os.path.normpath(os.path.join(os.path.dirname(path), file)) if file else path
    if image:
        return f"![{text}]({os.path.splitext(os.path.basename(file))[0]})"
    if file not in anchors:
        return text
    name = os.path.splitext(os.path.basename(file))[0]
    return f"[{text}](doc:{name}{'#' + anchors[file][anchor] if anchor else ''})"


def convert(path):
    """A page with the links of DocC; code blocks stay as they are."""
    text = read(path)
    parts, end = [], 0
    for block in FENCE.finditer(text):
        parts.append(LINK.sub(lambda match: converted(path, match), text[end:block.start()]))
        # DocC draws no diagrams.
        parts.append("![Modules and their imports.](modules)" if block[0].startswith("```mermaid") else block[0])
        end = block.end()
    return "".join(parts) + LINK.sub(lambda match: converted(path, match), text[end:])


def qualified(path, text):
    """An article with the symbols of its module named in full, since the catalog has several modules. The page of a module,
    which extends it, needs that not."""
    module = os.path.basename(os.path.dirname(path)).removesuffix(".docc")
    if not path.startswith("Sources/") or os.path.basename(path) == f"{module}.md":
        return text
    parts = re.split(f"({FENCE.pattern})", text, flags=FENCE.flags)
    return "".join(re.sub(r"``(?!CredKit)([^`]+)``", rf"``{module}/\1``", part) if index % 2 == 0 else part
                   for index, part in enumerate(parts))


folder = sys.argv[1]
os.makedirs(folder)
for path in glob.glob("docs/images/*.svg"):
    shutil.copy(path, folder)
for path in pages + ["docs/site/Guides.md"]:
    with open(os.path.join(folder, os.path.basename(path)), "w", encoding="utf-8") as file:
        file.write(qualified(path, convert(path)))
# Its absence is an error in the console of the browser.
shutil.copy("docs/site/theme-settings.json", folder)
