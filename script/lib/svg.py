# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""What the pictures of docs/images share: one file each, readable on light and dark pages."""

from html import escape

# A background of its own, because not every page follows the system's preference.
STYLE = """
  .page { fill: #ffffff }
  text { font: 13px system-ui, sans-serif; fill: #1f2328 }
  .title { font-size: 14px; font-weight: 600 }
  .box { fill: #eef4fb; stroke: #2e86c1 }
  .line { fill: none; stroke: #57606a; stroke-width: 1.4 }
  .head { fill: #57606a }
  .grid { stroke: #1f2328; stroke-opacity: .13 }
  .axis { fill: none; stroke: #1f2328; stroke-opacity: .6 }
  @media (prefers-color-scheme: dark) {
    .page { fill: #0d1117 }
    text { fill: #e6edf3 }
    .box { fill: #14253a; stroke: #58a6ff }
    .line { stroke: #9da7b3 }
    .head { fill: #9da7b3 }
    .grid, .axis { stroke: #e6edf3 }
  }
"""


def text(x, y, words, kind="", anchor=""):
    attributes = (f' class="{kind}"' if kind else "") + (f' text-anchor="{anchor}"' if anchor else "")
    return f'<text{attributes} x="{x:g}" y="{y:g}">{escape(words)}</text>'


def document(width, height, label, body, style=STYLE):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        f'role="img" aria-label="{escape(label)}">\n<style>{style}</style>\n'
        f'<rect class="page" width="{width:g}" height="{height:g}" rx="6"/>\n' + "\n".join(body) + "\n</svg>\n"
    )
