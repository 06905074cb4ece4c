#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes the manual pages of a command, from the argument parser's description of it, a page for each subcommand.

The argument parser's own generator joins the lines of examples and has no sections for files, environment and exit
status. These come from `credkit help environment` and `credkit help exit-codes`.

usage: manual.py PROGRAM CREDKIT FOLDER      SOURCE_DATE_EPOCH is the date of the pages
"""
import datetime
import json
import os
import re
import subprocess
import sys
import textwrap

FILES = {
    "credkit": [
        ("~/.local/share/credkit/keychain.vault", "The vault, unless $CREDKIT_VAULT names another one."),
        ("~/.local/state/credkit", "The backend of the keychain, login sessions, and what this account has seen of vaults."),
        ("~/.cache/credkit", "Encrypted copies of responses."),
        ("/usr/share/doc/credkit/docs", "The pages that the help names."),
        ("/usr/share/doc/credkit/interoperability", "Verifiers of layered hashes for Python, PHP and Java."),
    ],
    "credkit-server": [
        ("/etc/credkit-server/credkit-server.conf", "The options of the service of systemd."),
        ("/etc/credkit-server/users", "A line NAME:CREDENTIAL for each user, as the service reads it."),
        ("/usr/share/doc/credkit-server/docs/operating.md", "How to operate a server, and to protect a site."),
    ],
}
# Of the topics, what concerns credkit-server.
SERVER_VARIABLES = {"CREDKIT_ALLOW_CORE_DUMPS", "CREDKIT_KERNELS"}
SPECIAL = {"\\": r"\e", "-": r"\-", "'": r"\(aq", "`": r"\(ga", "^": r"\(ha", "~": r"\(ti", '"': r"\(dq"}


def escape(text):
    text = "".join(SPECIAL.get(c) or (c if ord(c) < 127 else f"\\[u{ord(c):04X}]") for c in text)
    return "\\&" + text if text.startswith(".") else text


def wrapped(text):
    """Returns a paragraph in lines; roff fills them again."""
    lines = textwrap.wrap(text, 70, break_long_words=False, break_on_hyphens=False)
    return "\n".join(escape(line) for line in lines)


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def paragraphs(text):
    """Splits a text into ('text', lines) and ('code', lines); code is what is indented."""
    blocks = []
    for line in (text or "").split("\n"):
        kind = "code" if line.startswith("  ") else "text"
        if not line.strip():
            blocks.append(None)
        elif blocks and blocks[-1] and blocks[-1][0] == kind:
            blocks[-1][1].append(line.rstrip())
        else:
            blocks.append((kind, [line.rstrip()]))
    return [block for block in blocks if block]


def body(blocks, separator=".PP"):
    lines, is_first = [], True
    for kind, text in blocks:
        if not is_first:
            lines.append(separator)
        if kind == "code":
            lines += [".nf", *(escape(line) for line in text), ".fi"]
        else:
            lines += [wrapped(line) for line in text]
        is_first = False
    return lines


def separated(discussion):
    """Returns the blocks of a discussion, and its examples."""
    blocks, examples = [], []
    for block in paragraphs(discussion):
        if block[0] == "code" and blocks and blocks[-1][1][-1].rstrip(":").lower() == "for instance":
            rest = blocks.pop()[1][:-1]
            if rest:
                blocks.append(("text", rest))
            examples.append(block)
        else:
            blocks.append(block)
    return blocks, examples


def entries(topic):
    """Returns the definitions of `credkit help TOPIC`, and the text after them."""
    found, rest, is_past = [], [], False
    for line in topic.rstrip("\n").split("\n"):
        match = re.match(r"( ?\S.*?)(?:  +(\S.*)|$)", line)
        if not line.strip():
            is_past = True
        elif is_past:
            rest.append(line)
        elif line.startswith("   ") and found:
            found[-1][1].append(line.strip())
        else:
            found.append((match.group(1).strip(), [match.group(2)] if match.group(2) else []))
    return [(name, " ".join(text)) for name, text in found], " ".join(rest)


def spelled(name):
    return ("--" if name["kind"] == "long" else "-") + name["name"]


def synopsis(argument):
    value = "\\fI" + escape(argument.get("valueName", "")) + "\\fR"
    if argument["kind"] == "positional":
        text = value
    else:
        text = "\\fB" + escape(spelled(argument["preferredName"])) + "\\fR"
        if argument["kind"] == "option":
            text += " " + value
    if argument["isRepeating"]:
        text += " ..."
    if argument.get("parsingStrategy") == "postTerminator":
        text = "\\fB" + escape("--") + "\\fR " + text
    return f"[{text}]" if argument["isOptional"] else text


def definition(argument):
    value = "\\fI" + escape(argument.get("valueName", "")) + "\\fR"
    if argument["kind"] == "positional":
        head = value
    else:
        head = ", ".join("\\fB" + escape(spelled(name)) + "\\fR" for name in argument["names"])
        if argument["kind"] == "option":
            head += " " + value
    texts = [argument.get("abstract", ""), argument.get("discussion", "")]
    if argument.get("defaultValue") and argument["kind"] != "flag" and "(default" not in texts[0]:
        texts.append(f"Default: {argument['defaultValue']}")
    blocks = [block for text in texts for block in paragraphs(text)]
    return [".TP", head, *(body(blocks, ".IP") or ["\\&"])]


def page(command, path, context):
    title = "-".join(path)
    shown = [a for a in command.get("arguments", []) if a["shouldDisplay"]]
    lines = [
        '.\\" Written by script/lib/manual.py.',
        f'.TH {escape(title.upper())} 1 {context["date"]} "CredKit {context["version"]}"',
        ".SH NAME",
        f"{escape(title)} \\- {escape(command['abstract'].rstrip('.'))}",
        ".SH SYNOPSIS",
        "\\fB" + escape(" ".join(path)) + "\\fR",
    ]
    subcommands = [c for c in command.get("subcommands", []) if c["commandName"] != "help" and c["shouldDisplay"]]
    if subcommands:
        lines.append("\\fIcommand\\fR ...")
    lines += [synopsis(argument) for argument in shown]
    blocks, examples = separated(command.get("discussion"))
    lines += [".SH DESCRIPTION", wrapped(command["abstract"])]
    if blocks:
        lines += [".PP", *body(blocks)]
    if subcommands:
        lines.append(".SH COMMANDS")
        for subcommand in subcommands:
            name = "-".join([*path, subcommand["commandName"]])
            lines += [".TP", f"\\fB{escape(name)}\\fR(1)", wrapped(subcommand["abstract"])]
    lines.append(".SH OPTIONS")
    section = None
    for argument in shown:
        if argument.get("sectionTitle") != section:
            section = argument.get("sectionTitle")
            lines.append(f'.SS "{escape(section or "Others")}"')
        lines += definition(argument)
    lines.append(".SH EXIT STATUS")
    for code, text in context["codes"][0]:
        lines += [".TP", escape(code), wrapped(text)]
    if path[0] == "credkit":
        lines += [".PP", wrapped(context["codes"][1])]
    lines.append(".SH ENVIRONMENT")
    for name, text in context["variables"]:
        lines += [".TP", escape(name), wrapped(text)]
    lines.append(".SH FILES")
    for name, text in FILES[path[0]]:
        lines += [".TP", escape(name), wrapped(text)]
    if examples:
        lines += [".SH EXAMPLES", *body(examples)]
    others = {path[0]: True, "-".join(path[:-1]) or path[0]: True, "credkit": True}
    others.pop(title, None)
    if others:
        lines += [".SH SEE ALSO", ",\n".join(f"\\fB{escape(o)}\\fR(1)" for o in sorted(others))]
    return "\n".join(line for line in lines if line) + "\n", subcommands


def write(command, path, folder, context):
    text, subcommands = page(command, path, context)
    with open(os.path.join(folder, "-".join(path) + ".1"), "w", encoding="ascii") as file:
        file.write(text)
    for subcommand in subcommands:
        write(subcommand, [*path, subcommand["commandName"]], folder, context)


def main():
    program, credkit, folder = sys.argv[1:]
    command = json.loads(output(program, "--experimental-dump-help"))["command"]
    name = command["commandName"]
    variables = entries(output(credkit, "help", "environment"))[0]
    if name != "credkit":
        variables = [entry for entry in variables if entry[0] in SERVER_VARIABLES]
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    write(command, [name], folder, {
        "date": datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%d"),
        "version": output(program, "--version").split()[-1],
        "codes": entries(output(credkit, "help", "exit-codes")),
        "variables": variables,
    })


main()
