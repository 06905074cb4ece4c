#!/usr/bin/env python3
# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Writes what a Debian package tells of its contents: the licences of what is linked into the program, and a list of all
components as SPDX 2.3.

usage: package_metadata.py BUILD_FOLDER RESOLVED NAME VERSION DEPENDS LICENCES SBOM
RESOLVED is the Package.resolved of the program's package. SOURCE_DATE_EPOCH is the date of the list.
"""
import datetime
import glob
import hashlib
import json
import os
import re
import subprocess
import sys

RUNTIME = "swift-runtime"


def dependencies(build, resolved):
    """Returns the Swift packages that the program was built with: name, version, revision, address, folder."""
    with open(os.path.join(build, "workspace-state.json")) as file:
        state = json.load(file)["object"]
    with open(resolved) as file:
        pins = {pin["identity"]: pin["state"]["revision"] for pin in json.load(file)["pins"]}
    found = []
    for entry in state["dependencies"]:
        reference = entry["packageRef"]
        # Other packages can have been built in the same folder, and CredKit itself is no component from elsewhere.
        if reference["identity"] not in pins:
            continue
        checkout = entry["state"]["checkoutState"]
        if checkout["revision"] != pins.pop(reference["identity"]):
            sys.exit(f"package_metadata.py: error: {build} has another revision of {reference['identity']} than {resolved}")
        folder = os.path.join(build, "checkouts", entry["subpath"])
        found.append((reference["identity"], checkout["version"], checkout["revision"], reference["location"], folder))
    if pins:
        sys.exit(f"package_metadata.py: error: {build} has no {', '.join(sorted(pins))}, which {resolved} names")
    return sorted(found)


def toolchain():
    """Returns the version of Swift and the folder of its toolchain."""
    text = subprocess.run(["swift", "--version"], check=True, capture_output=True, text=True).stdout
    info = json.loads(
        subprocess.run(["swiftc", "-print-target-info"], check=True, capture_output=True, text=True).stdout
    )
    return re.search(r"Swift version (\S+)", text).group(1), info["paths"]["runtimeResourcePath"]


def licence_texts(folder):
    """Returns the files with licences and notices of a package, also those of code it contains."""
    names = []
    for pattern in ("LICENSE*", "LICENCE*", "NOTICE*", "COPYING*"):
        names += glob.glob(os.path.join(folder, pattern))
        names += glob.glob(os.path.join(folder, "Sources", "**", pattern), recursive=True)
    return sorted(name for name in set(names) if os.path.isfile(name))


def write_licences(path, packages, swift, resources):
    with open(path, "w", encoding="utf-8") as out:
        out.write("Licences and notices of the code that is linked into this program.\n")
        folders = [(f"{name} {version}", folder) for name, version, _, _, folder in packages]
        for title, folder in [*folders, (f"Swift runtime {swift}", os.path.dirname(resources) + "/../share/swift")]:
            texts = licence_texts(folder) or licence_texts(os.path.join(resources, "../../share/swift"))
            if not texts:
                sys.exit(f"package_metadata.py: error: {title} has no licence in {folder}")
            for text in texts:
                with open(text, encoding="utf-8") as file:
                    out.write(f"\n{'=' * 78}\n{title}: {os.path.relpath(text, folder)}\n{'=' * 78}\n\n{file.read()}")


def installed_version(name):
    result = subprocess.run(
        ["dpkg-query", "--show", "--showformat=${Version}", name], capture_output=True, text=True, check=False
    )
    return result.stdout or None


def package(name, version, address, licence, reference, comment=None):
    entry = {
        "name": name,
        "SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name),
        "versionInfo": version or "NOASSERTION",
        "downloadLocation": address,
        "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence,
        "copyrightText": "NOASSERTION",
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": reference}
        ],
    }
    if comment:
        entry["comment"] = comment
    return entry


def installed_alternative(dependency):
    """The name of the first alternative that is installed, else of the first."""
    names = [part.split()[0] for part in dependency.split("|")]
    return next((name for name in names if installed_version(name)), names[0])


def write_sbom(path, name, version, packages, swift, depends):
    seconds = int(os.environ["SOURCE_DATE_EPOCH"])
    created = datetime.datetime.fromtimestamp(seconds, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    all_packages = [package(name, version, "NOASSERTION", "Apache-2.0", f"pkg:deb/{name}@{version}")]
    relations = [("SPDXRef-DOCUMENT", "DESCRIBES", all_packages[0]["SPDXID"])]
    for identity, number, revision, address, _ in packages:
        host = re.sub(r"^https://|\.git$", "", address)
        all_packages.append(
            package(identity, number, f"git+{address}@{revision}", "NOASSERTION", f"pkg:swift/{host}@{number}")
        )
        relations.append((all_packages[0]["SPDXID"], "STATIC_LINK", all_packages[-1]["SPDXID"]))
    all_packages.append(
        package(
            RUNTIME, swift, "https://github.com/swiftlang/swift", "Apache-2.0 WITH Swift-exception",
            f"pkg:swift/github.com/swiftlang/swift@{swift}",
        )
    )
    relations.append((all_packages[0]["SPDXID"], "STATIC_LINK", all_packages[-1]["SPDXID"]))
    for dependency in sorted({installed_alternative(part) for part in depends.split(",") if part.strip()}):
        number = installed_version(dependency)
        all_packages.append(
            package(
                dependency, number, "NOASSERTION", "NOASSERTION",
                f"pkg:deb/debian/{dependency}" + (f"@{number}" if number else ""),
                "A package of the system; the version is that of the machine that built the program.",
            )
        )
        relations.append((all_packages[0]["SPDXID"], "DEPENDS_ON", all_packages[-1]["SPDXID"]))
    content = {
        "packages": all_packages,
        "relationships": [
            {"spdxElementId": a, "relationshipType": kind, "relatedSpdxElement": b} for a, kind, b in relations
        ],
    }
    digest = hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
    document = {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"{name}-{version}",
        "documentNamespace": f"urn:sha256:{digest}",
        "creationInfo": {"created": created, "creators": ["Tool: CredKit-script/package"]},
        **content,
    }
    with open(path, "w", encoding="utf-8") as out:
        json.dump(document, out, indent=1)
        out.write("\n")


def main():
    build, resolved, name, version, depends, licences, sbom = sys.argv[1:]
    packages = dependencies(build, resolved)
    swift, resources = toolchain()
    write_licences(licences, packages, swift, resources)
    write_sbom(sbom, name, version, packages, swift, depends)


main()
