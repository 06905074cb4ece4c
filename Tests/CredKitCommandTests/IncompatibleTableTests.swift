// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// Tables that other programs read, and tables that need another option, before `credkit upgrade` writes anything.
@Suite struct IncompatibleTableTests {
    private static let md5 = "5ebe2294ecd0e0f08eab7690d2a6ee69"
    private static let cheap = "--memory 64KiB --passes 1"

    private func run(_ script: String) throws -> Shell.Outcome {
        let shell = try Shell()
        defer { shell.remove() }
        return try shell.run("upgrade='credkit upgrade \(Self.cheap)'\n\(script)")
    }

    /// The hashes are those of the other programs themselves.
    @Test(
        arguments: [
            "openssl passwd -1 secret", "openssl passwd -apr1 secret", "openssl passwd -5 secret",
            "openssl passwd -6 secret",
            "printf '{SHA}%s' $(printf secret | openssl sha1 -binary | base64)",
            "printf '{SHA512}%s' $(printf secret | openssl sha512 -binary | base64 -w 0)",
            "printf '{NTLM}%s' \(IncompatibleTableTests.md5)",
            "printf secret | credkit hash bcrypt --cost 4",
        ] as [String]
    )
    func hashesOfOtherProgramsNeedTheOption(maker: String) throws {
        let outcome = try run(
            """
            hash=$(\(maker))
            printf '%s\\n' '# users' 'x:*' "alice:$hash" > htpasswd
            printf 'root:!:19000:0:99999:7:::\\nalice:!%s:19000:0:99999:7:::\\n' "$hash" > shadow
            for table in htpasswd shadow; do
                $upgrade --input $table --output out; echo $?; ls out* 2> /dev/null
                $upgrade --input $table --shard 1/1 --output out 2> /dev/null; echo $?; ls out* 2> /dev/null
                $upgrade --input $table --output out --allow-incompatible; echo $?; grep -c layered out; rm out
            done
            """
        )
        #expect(outcome.text == String(repeating: "64\n64\n0\n1\n", count: 2), "\(outcome.errors)")
        for message in [
            "htpasswd: record 3 has a hash", "shadow: record 2 has a hash", "add --allow-incompatible",
            "credkit: crypt(3), htpasswd, nginx, PHP, Dovecot, LDAP and your application cannot read",
        ] { #expect(outcome.errors.contains(message), "\(outcome.errors)") }
    }

    /// The first one is searched for in the whole table, and whatever declares the colons.
    @Test func oneHashOfAnotherProgramAnywhereNeedsTheOption() throws {
        let outcome = try run(
            """
            for i in $(seq 1200); do echo "u$i:\(Self.md5)"; done > in
            { cat in; echo 'z:$1$abc$iCQ2D3nhptRYi27fDYv2s1'; } > late
            for options in '' '--shard 1/2' '--format csv --delimiter : --hash-column 2 --header no'; do
                $upgrade --input late --as md5 --output out $options; echo $?; ls out* 2> /dev/null
            done
            """
        )
        #expect(outcome.text == "64\n64\n64\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("late: record 1201 has a hash that other programs read (md5-crypt)"))
    }

    /// `script/test-verifiers` compares this with the verifiers.
    @Test(
        arguments: [
            ("$1$abc$iCQ2D3nhptRYi27fDYv2s1", ", verifiers for Python, PHP and Java in interoperability/"),
            (
                "{CRYPT}$1$abc$iCQ2D3nhptRYi27fDYv2s1",
                ", verifiers for Python, PHP and Java in interoperability/"
            ),
            ("$P$5LQyZA7pf605VNoZjia7cBTCcsi1nX.", ", verifiers for Python and PHP in interoperability/"),
            ("$apr1$/ukrTq1W$kQ.BRXk4LJdn.0.iotAB0/", ", the verifier for Java in interoperability/"),
            ("{SHA1}L55TUjtiq8FBorTWAZ0jy6g129A=", "\n"),
        ] as [(String, String)]
    )
    func verifiersThatReadTheTableAreNamed(hash: String, ending: String) throws {
        let outcome = try run(
            """
            printf '%s\\n' 'a:\(hash)' 'b:$1$abc$iCQ2D3nhptRYi27fDYv2s1' > in
            $upgrade --input in --output out
            $upgrade --input in --output out --allow-incompatible
            credkit audit in 1>&2
            """
        )
        let line = "these can: credkit, credkit-server\(ending)"
        #expect(outcome.errors.contains("credkit: \(line)"), "\(outcome.errors)")
        #expect(outcome.errors.contains("\n\(line)"), "\(outcome.errors)")
        #expect(outcome.errors.contains(ending == "\n" ? "credkit-server; if no" : "credkit-server\(ending)"))
    }

    /// What reads the new hashes is said once, before anything is written.
    @Test func whoReadsLayeredHashesIsSaidFirst() throws {
        let outcome = try run(
            "echo 'a:\(Self.md5)' > in; $upgrade --input in --output out --as md5; $upgrade --input out --output again"
        )
        let lines = outcome.errors.split(separator: "\n")
        try #require(lines.count == 4, "\(outcome.errors)")
        #expect(
            lines[0].hasSuffix("cannot read layered hashes") && lines[1].hasPrefix("credkit: these can: ")
        )
        #expect(
            lines[2].hasPrefix("credkit: 1 hashes layered") && lines[3].hasPrefix("credkit: 0 hashes layered")
        )
    }

    /// Only an application reads them, or nothing in them is layered.
    @Test(
        arguments: [
            ("a:\(IncompatibleTableTests.md5)", "in", "--as md5"),
            ("1:\(IncompatibleTableTests.md5)", "in", "--as md5"),
            ("a:\(IncompatibleTableTests.md5):salt", "in", "--as salted-md5 --salt-column 3"),
            ("1,$1$abc$iCQ2D3nhptRYi27fDYv2s1", "in.csv", "--hash-column 2"),
            ("1\t$1$abc$iCQ2D3nhptRYi27fDYv2s1", "in.tsv", "--hash-column 2"),
            ("a:$1$abc$iCQ2D3nhptRYi27fDYv2s1", "in", "--only apr1"), ("a:!\nb:*\nc:x", "in", ""),
        ] as [(String, String, String)]
    )
    func tablesOfApplicationsNeedNoOption(table: String, name: String, options: String) throws {
        let outcome = try run(
            "printf '%s\\n' '\(table)' > \(name); $upgrade --input \(name) --output out \(options)"
        )
        #expect(outcome.status == 0, "\(outcome.errors)")
        let says = outcome.errors.contains("cannot read layered hashes")
        #expect(says == !outcome.errors.contains("0 hashes layered"), "\(outcome.errors)")
    }

    // MARK: A missing option

    @Test func tableOfUndeclaredHashesEndsEarly() throws {
        let outcome = try run(
            """
            for i in $(seq 1200); do echo "u$i:\(Self.md5)"; done > in; sed '700s/:.*/:*/' in > locked
            sed '999s/:.*/:nonsense/' in > mixed; head -n 900 in > short
            { echo name,hash; tr : , < in; } > in.csv
            $upgrade --input in.csv --hash-column hash --output out; echo $?; ls out* 2> /dev/null
            for table in in locked mixed short; do
                $upgrade --input $table --output out 2> errors; echo $? $(wc -l < errors); cat errors >&2
                ls out* 2> /dev/null; rm -f out
            done
            $upgrade --input in --output out --as md5; echo $?
            """
        )
        // 20 records, the line that says so, the summary and the last line.
        #expect(outcome.text == "65\n65 1\n65 1\n65 1\n65 23\nout\n0\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("in: none of the first 1000 records has a hash that can be read: "))
        #expect(outcome.errors.contains("--as"), "\(outcome.errors)")
        #expect(outcome.errors.contains("short: further records with 'ambiguous' are only counted"))
        #expect(outcome.errors.contains("short: 900 records cannot be read: ambiguous 900"))
        #expect(outcome.errors.contains(" …); declare their scheme with --as"), "\(outcome.errors)")
    }

    /// Without a single hash that can be read, the column or the declaration is wrong. One anywhere is upgraded.
    @Test func tableWithoutAReadableHashEndsEarly() throws {
        let outcome = try run(
            """
            for i in $(seq 1200); do echo "u$i:nonsense$i"; done > column
            for i in $(seq 1200); do echo "u$i:\(Self.md5)00000000"; done > sha1
            { cat column; echo 'z:\(Self.md5)'; } > one
            for table in column sha1 one; do
                $upgrade --input $table --as md5 --output out 2> errors; echo $?; cat errors >&2
                ls out* 2> /dev/null; rm -f out
            done
            """
        )
        #expect(outcome.text == "65\n65\n65\nout\n", "\(outcome.errors)")
        #expect(
            outcome.errors.contains(
                "column: none of the 1200 records has a hash that can be read: unrecognized 1200"
            )
        )
        #expect(outcome.errors.contains("sha1: none of the 1200 records has a hash that can be read: "))
        #expect(outcome.errors.contains("check --as and --hash-column"))
        #expect(outcome.errors.contains("1 hashes layered, 0 records kept, 1200 not verifiable"))
    }
}
