#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""A user with a browser, for tests: opens a URL, follows redirects, sends the form that a page sends by itself, and prints
the last page as JSON: {"status": …, "url": …, "headers": {…}, "body": …}.

usage: browser_user.py URL [FILE]      FILE gets the JSON instead"""
import html.parser
import json
import os
import sys
import urllib.error
import urllib.parse
import urllib.request


class Form(html.parser.HTMLParser):
    action, fields = None, []

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        if tag == "form":
            self.action, self.fields = attributes["action"], []
        elif tag == "input":
            self.fields.append((attributes["name"], attributes["value"]))


def load(url, body=None):
    request = urllib.request.Request(url, body, {"Sec-Fetch-Dest": "document", "Sec-Fetch-Mode": "navigate"})
    try:
        return opener.open(request)
    except urllib.error.HTTPError as error:
        return error


# No proxy: everything is on this computer.
opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
try:
    answer = load(sys.argv[1])
    body = answer.read().decode()
    if "document.forms[0].submit()" in body:
        form = Form()
        form.feed(body)
        answer = load(form.action, urllib.parse.urlencode(form.fields).encode())
        body = answer.read().decode()
    page = {"status": answer.status, "url": answer.url, "headers": dict(answer.headers), "body": body}
except (OSError, ValueError) as error:
    page = {"status": 0, "url": "", "headers": {}, "body": str(error)}
text = json.dumps(page) + "\n"
if len(sys.argv) > 2:
    with open(sys.argv[2] + ".new", "w") as file:
        file.write(text)
    os.rename(sys.argv[2] + ".new", sys.argv[2])
else:
    sys.stdout.write(text)
