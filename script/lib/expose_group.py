# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Copies KeePassXC's XML from stdin to stdout, and adds that the root group is exposed by the Secret Service."""
import base64
import re
import sys
import uuid

text = sys.stdin.read()
root = re.search(r"<Root>\s*<Group>\s*<UUID>([^<]+)", text)[1]
item = f"<Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key><Value>{{{uuid.UUID(bytes=base64.b64decode(root))}}}</Value></Item>"
text = re.sub(r"<DatabaseName\s*/>|<DatabaseName>.*?</DatabaseName>", "<DatabaseName>keyring</DatabaseName>", text)
sys.stdout.write(text.replace("</Meta>", f"<CustomData>{item}</CustomData></Meta>", 1))
