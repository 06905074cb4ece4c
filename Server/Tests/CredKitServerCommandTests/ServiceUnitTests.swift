// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `packaging/credkit-server.service`, read by systemd.
final class ServiceUnitTests: XCTestCase {
    private static let unit = TestScripts.root.appendingPathComponent("packaging/credkit-server.service")
    private var shell: Shell!

    override func setUpWithError() throws {
        guard FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-analyze") else {
            throw XCTSkip("systemd is not installed")
        }
        shell = try Shell(programs: ["credkit", "credkit-server"])
        // systemd refuses a unit whose program is missing.
        let text = try String(contentsOf: Self.unit, encoding: .utf8)
            .replacingOccurrences(of: "/usr/local/bin", with: shell.folder.path + "/bin")
        let file = shell.folder.appendingPathComponent("credkit-server.service")
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    override func tearDown() { shell?.remove() }

    func testUnitIsValidAndSandboxed() throws {
        let outcome = try shell.run(
            """
            systemd-analyze verify ./credkit-server.service
            systemd-analyze security --offline=true --threshold=15 --no-pager ./credkit-server.service > table || tail -3 table
            """
        )
        XCTAssertEqual(outcome.status, 0)
        XCTAssertEqual(outcome.text + outcome.errors, "")
    }

    /// Expands the unit's command as systemd does, and starts it with the credentials.
    func testCommandOfTheUnitStartsAServer() throws {
        let outcome = try shell.run(
            #"""
            credkit-server init credentials > /dev/null
            printf 'alice:%s\n' "$(printf 123456 | credkit hash scram-sha-256 --iterations 4096)" >> credentials/users
            printf 'mechanism scram\nmock-key-file mock-key\nmetrics 127.0.0.1:0\nlog-format json\n' \
                >> credentials/credkit-server.conf
            sed -i 's/^listen .*/listen 127.0.0.1:0/' credentials/credkit-server.conf
            command=$(python3 - <<'END'
            text = open("credkit-server.service").read().replace("\\\n", " ")
            line = next(line for line in text.split("\n") if line.startswith("ExecStart="))
            print(line.removeprefix("ExecStart=").replace("%d", "credentials"))
            END
            )
            ${command/credkit-server /credkit-server check } && echo
            # The calls that the unit's filter refuses must not be needed.
            CREDKIT_ALLOW_CORE_DUMPS=1 strace -f -qq -o calls $command > address 2> log & tracer=$!
            for i in {1..600}; do [ -s address ] || sleep 0.1; done
            printf 123456 > password
            credkit login $(cut -d' ' -f3 address) --mechanism scram --user alice --password-file password > /dev/null; echo $?
            kill $(pgrep -P $tracer); wait $tracer; echo $?
            """#
        )
        XCTAssertEqual(outcome.text, "ok: 2 users\n\n0\n0\n", outcome.errors)
        let calls = try shell.run(
            """
            python3 - <<'END'
            import re, subprocess
            def names(group):
                lines = subprocess.run(["systemd-analyze", "syscall-filter", group], capture_output=True, text=True).stdout
                found = set()
                for name in map(str.strip, lines.split("\\n")[1:]):
                    if name.startswith("@"): found |= names(name)
                    elif name and not name.startswith("#"): found.add(name)
                return found
            filters = re.findall("^SystemCallFilter=(~?)(.*)", open("credkit-server.service").read(), re.M)
            allowed = set()
            for sign, groups in filters:
                for group in groups.split():
                    members = names(group) if group.startswith("@") else {group}
                    allowed = allowed - members if sign else allowed | members
            used = set(re.findall(r"^\\d+ +(\\w+)\\(", open("calls").read(), re.M))
            print(len(used) > 20, sorted(used - allowed))
            END
            """
        )
        // The Swift runtime's threads ask for a priority, and do without.
        XCTAssertTrue(
            ["True []\n", "True ['setpriority']\n"].contains(calls.text),
            calls.text + calls.errors
        )
    }
}
