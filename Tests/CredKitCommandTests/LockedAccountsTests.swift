// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import CredKitVectors
import Foundation
import Testing

/// Tables with locked accounts of all systems, in `credkit audit` and `credkit upgrade`. `LockMarkTests` names the sources of
/// the marks.
@Suite struct LockedAccountsTests {
    private struct Case: Decodable {
        let scheme: String
        let hash: String
        let password: String
    }

    private let cheap = "--as md5 --memory 64KiB --passes 1"
    private let md5Crypt = "$1$abc$iCQ2D3nhptRYi27fDYv2s1"

    private func write(_ fields: [String], to shell: Shell) throws {
        let table = fields.enumerated().map { "u\($0):\($1):1\n" }.joined()
        try Data(table.utf8).write(to: shell.folder.appending(path: "in"))
    }

    private func fields(of name: String, in shell: Shell) throws -> [String] {
        let table = try String(contentsOf: shell.folder.appending(path: name), encoding: .utf8)
        return table.split(separator: "\n").map {
            String($0.split(separator: ":", omittingEmptySubsequences: false)[1])
        }
    }

    @Test(arguments: ["!", "!!", "*", "*LOCKED*", "*LK*", "*AL*", "!*LOCKED*", "*LK*!", "*LK**LOCKED*"])
    func hashesBehindMarksAreLayeredAndStayLocked(_ mark: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        let files = ["password-hashes", "framework-hashes"]
        let vectors = try files.flatMap { try VectorFile<Case>.load($0).cases }
        let schemes = ["md5-crypt", "apr1", "des-crypt", "bsdi-crypt", "mysql41", "ldap-ssha", "hex-sha1"]
        let cases = schemes.compactMap { scheme in vectors.first { $0.scheme == scheme } }
        var kinds = cases.map { ($0.hash, $0.password) }
        #expect(kinds.count == schemes.count)
        kinds.append(("5ebe2294ecd0e0f08eab7690d2a6ee69", "secret"))
        try write(kinds.map { mark + $0.0 }, to: shell)
        let outcome = try shell.run(
            """
            credkit audit --json \(cheap) in | grep -o '"lockedWithHash":[0-9]*'; echo ${PIPESTATUS[0]}
            credkit upgrade --allow-incompatible --json \(cheap) --input in --output out; echo $?
            credkit upgrade --allow-incompatible --json \(cheap) --input out --output again; echo $?; cmp out again
            credkit audit --fail-on-weak \(cheap) out > /dev/null; echo $?
            """
        )
        let count = kinds.count
        #expect(
            outcome.text == """
                "lockedWithHash":\(count)
                0
                \(UpgradeCountsText.json(["layered": count, "lockedWithHash": count]))
                0
                \(UpgradeCountsText.json(["current": count, "lockedWithHash": count]))
                0
                0

                """,
            "\(outcome.errors)"
        )
        let context = try PasswordContext(policy: .recommended)
        let upgraded = try fields(of: "out", in: shell)
        #expect(upgraded.count == count)
        for (field, (hash, password)) in zip(upgraded, kinds) {
            #expect(field.hasPrefix(mark + "$layered-argon2id$"), "\(hash)")
            let stored = String(field.dropFirst(mark.count))
            let isRight = try context.verify(password, against: stored).isMatch
            let isWrong = try context.verify("\u{1}" + password, against: stored).isMatch
            #expect(isRight && !isWrong, "\(hash)")
        }
    }

    @Test(arguments: ["LOCKED;", "*SUSPENDED*", "disabled", "*locked*", "*NP*", "!disabled ", "*LK* "])
    func hashesBehindOtherTextsAreReported(_ text: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        let kinds = [md5Crypt, "{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=", "ZTlS6OmWgmF06"]
        try write(kinds.map { text + $0 } + [md5Crypt, "!"], to: shell)
        let outcome = try shell.run(
            """
            credkit audit --json --fail-on-weak \(cheap) in | grep -o '"unrecognizedRows":[^]]*'; echo ${PIPESTATUS[0]}
            credkit upgrade --allow-incompatible --json \(cheap) --input in --output out; echo $?; head -n 3 out | cmp - <(head -n 3 in)
            """
        )
        let counts = UpgradeCountsText.json(["layered": 1, "problems": 3, "locked": 1])
        #expect(
            outcome.text == "\"unrecognizedRows\":[1,2,3\n65\n\(counts)\n65\n",
            "\(outcome.errors)"
        )
        for number in 1...3 { #expect(outcome.errors.contains("in: record \(number): unrecognized")) }
        #expect(outcome.errors.contains("the text before the hash is not a known lock mark"))
        #expect(outcome.errors.contains("in: 3 records cannot be read: unrecognized 3 (records 1, 2, 3)"))
        #expect(!outcome.errors.contains("iCQ2D3nh"))
    }

    @Test(arguments: ["!Xaf-ImNooB_HFR-OVvjcY_pJqNg", "*LK*abcdef-ghijk1_mnopqr-stuvwx"])
    func hashesWithHyphensAreNoNotes(_ field: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        try write([field, "!2024-01-31", "!locked-by-admin", "*LK* see ticket 4711"], to: shell)
        for command in ["audit", "upgrade --output new --input"] {
            let outcome = try shell.run("credkit \(command) in")
            #expect(
                outcome.status == 65 && (outcome.errors + outcome.text).contains("record"),
                "\(outcome.errors)"
            )
            #expect(!outcome.errors.contains("record 2") && !outcome.errors.contains(field.dropFirst(4)))
        }
        let counts = try shell.run(
            "credkit upgrade --allow-incompatible --json \(cheap) --input in --output out"
        )
        #expect(
            counts.text == "\(UpgradeCountsText.json(["problems": 1, "locked": 3]))\n",
            "\(counts.errors)"
        )
    }

    /// The accounts are locked by shadow-utils, systemd, libuser, Samba, Django, libpass, MariaDB and Dovecot, and unlocked
    /// again.
    @Test func recordsThatOtherProgramsLockAreClassed() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let python = try TestScripts.installedPython()
        let outcome = try shell.run("'\(python)' '\(TestScripts.path("lock_marks.py"))'")
        #expect(outcome.text == "23 records of /etc\n1036 records of others\n", "\(outcome.errors)")
    }

    /// A mark behind a name in braces stays, before the new hash.
    @Test func marksBehindNamesAreKept() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let stored = ["{CRYPT}!\(md5Crypt)", "{crypt}!x", "{CRYPT}*LK*\(md5Crypt)", "{CRYPT}\(md5Crypt)"]
        try write(stored, to: shell)
        let outcome = try shell.run(
            """
            credkit upgrade --allow-incompatible --json \(cheap) --input in --output out
            credkit upgrade --allow-incompatible --json \(cheap) --input out --output again; cmp out again
            """
        )
        let first = UpgradeCountsText.json(["layered": 3, "lockedWithHash": 2, "locked": 1])
        let second = UpgradeCountsText.json(["current": 3, "lockedWithHash": 2, "locked": 1])
        #expect(outcome.text == "\(first)\n\(second)\n", "\(outcome.errors)")
        let beginnings = try fields(of: "out", in: shell).map { String($0.prefix { $0 != "$" }) }
        #expect(beginnings == (["!", "{crypt}!x", "*LK*", ""] as [String]))
    }

    @Test func passwordsAgeIsNamed() throws {
        let shell = try Shell()
        defer { shell.remove() }
        try write(["ZTlS6OmWgmF06,M.z8"], to: shell)
        let outcome = try shell.run("credkit upgrade --allow-incompatible \(cheap) --input in --output out")
        #expect(outcome.status == 65)
        #expect(outcome.errors.contains("a comma and the age of the password follow the hash"))
    }

    @Test func failOnWeakIsNoAndUnreadableIsMalformed() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            printf p | credkit hash argon2id > strong; printf p | credkit hash scrypt --cost 4 > scrypt
            printf 'a:%s\\nb:*LK*\\nc:\\nd:x\\n# e\\n' "$(cat strong)" > current
            printf 'a:%s\\n' '\(md5Crypt)' | cat current - > upgradable
            printf 'a:%s\\n' "$(cat scrypt)" | cat current - > weak
            printf 'a:nonsense\\n' | cat weak - > unreadable
            upgrade='credkit upgrade --allow-incompatible \(cheap)'
            for table in current upgradable weak unreadable; do
                credkit audit $table > /dev/null; printf '%s ' $?
                credkit audit --fail-on-weak $table > /dev/null; printf '%s ' $?
                rm -f out*; $upgrade --input $table --output out 2> /dev/null; printf '%s ' $?
                rm -f out*; $upgrade --only md5-crypt --input $table --output out 2> /dev/null; echo $?
            done
            """
        )
        #expect(outcome.text == "0 0 0 0\n0 1 0 0\n0 1 65 0\n65 65 65 65\n", "\(outcome.errors)")
        #expect(
            outcome.errors.contains("1 hashes can be upgraded, 0 must be replaced at the next login")
        )
    }
}
