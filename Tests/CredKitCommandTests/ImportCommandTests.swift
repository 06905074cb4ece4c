// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import XCTest

/// `credkit keychain import` and `export` with the files of password managers.
final class ImportCommandTests: ShellTestCase {
    func testATableIsImportedOnceItWasLookedAt() throws {
        try run(
            "printf 'name,url,username,password,note\\nMail,https://mail.example/?x,alice,s3cret,pin 1\\n' > table"
        )
        let dry = try run("credkit keychain import --dry-run table")
        XCTAssertEqual(dry.text.split(separator: "\n").count, 3)
        XCTAssertFalse(dry.errors.contains("imported"), dry.errors)
        XCTAssertEqual(try run("credkit keychain list").text, "")
        let imported = try run("credkit keychain import table")
        XCTAssertTrue(imported.errors.contains("imported 3 items"), imported.errors)
        XCTAssertTrue(
            imported.errors.contains("table still contains these secrets unencrypted"),
            imported.errors
        )
        XCTAssertEqual(
            try run("credkit keychain get mail.example alice; cat table | wc -l").text,
            "s3cret2\n"
        )
        XCTAssertEqual(try run("credkit keychain get note:mail.example alice").text, "pin 1")
        XCTAssertTrue(try run("credkit keychain import table").errors.contains("imported 0 items, skipped 3"))
        try run("sed -i s/s3cret/changed/ table; credkit keychain import table", 73)
        try run(
            "credkit keychain import --replace table; test $(credkit keychain get mail.example alice) = changed"
        )
    }

    func testExportsSayWhatTheyLeaveOut() throws {
        try run("printf s3cret | credkit keychain set mail.example alice --attribute realm=x --label Mail")
        for format in ["keepass-xml", "keepassxc-csv", "bitwarden-json", "chromium-csv", "firefox-csv"] {
            let dry = try run(
                "credkit keychain export --dry-run --format \(format) \(format); ! test -e \(format)"
            )
            let written = try run(
                "umask 0; credkit keychain export --format \(format) \(format); stat -c %a \(format)"
            )
            XCTAssertEqual(written.text, "600\n")
            XCTAssertTrue(written.errors.hasPrefix(dry.errors), format)
            XCTAssertEqual(
                dry.errors.contains("attribute 'realm' of Mail"),
                format.hasSuffix("csv"),
                dry.errors
            )
            XCTAssertFalse(written.errors.contains("s3cret"))
            try run("credkit keychain export --format \(format) \(format)", 73)
            try run("credkit keychain import --dry-run --vault \(format).vault \(format) | grep alice")
        }
        try run("credkit keychain export --format lastpass out", 64)
        try run("credkit keychain export --format pass --plain-json out", 64)
        try run("credkit keychain export --dry-run out", 64)
        try run("mkdir store; credkit keychain export --format pass store", 1)
        try run("printf 'url,name,username\\n' > other; credkit keychain import other", 65)
    }

    /// What is left out is one line for each kind; a second factor without codes is a failure.
    func testWhatIsLeftOutIsSaidOnceForEachKind() throws {
        let outcome = try run(
            """
            { printf 'name,url,username,password,extra,more\\n'
              for i in 1 2 3 4 5; do printf "E$i,https://h$i.example/,al,pw,x,\\n"; done
              printf 'F,https://f.example/,al\\n'; } > table
            credkit keychain import table
            """
        )
        let lines = outcome.errors.split(separator: "\n").map { String($0) }
        for line in [
            "not kept: column 'extra' of 5 entries (E1, E2, E3, …): left out: the program is not known to have it",
            "changed: row of F: it has fewer values than the header; those that are missing are taken as empty",
            "imported 6 items",
        ] {
            XCTAssertEqual(lines.count { $0 == "credkit: " + line }, 1, outcome.errors)
        }
        XCTAssertEqual(lines.count { $0.contains("not kept") }, 1, outcome.errors)
        let codes = try run(
            """
            cat > bank.json <<'END'
            {"folders": [], "items": [
            {"type": 1, "name": "Game", "login": {"username": "al", "password": "a", "totp": "steam://JBSWY3DPEHPK3PXP"}},
            {"type": 1, "name": "Shop", "login": {"username": "al", "password": "b", "totp": "jbsw-y3dp-ehpk-3pxp"}}]}
            END
            credkit keychain import bank.json
            """,
            1
        )
        XCTAssertTrue(
            codes.errors.contains(
                "changed: one-time code of Game: kept as the field 'otp': unsupported one-time codes: Steam's codes have letters"
            ),
            codes.errors
        )
        XCTAssertTrue(codes.errors.contains("1 entry could not be imported completely"), codes.errors)
        XCTAssertFalse(codes.errors.contains("JBSW"), codes.errors)
        let code = "oathtool --totp --base32 JBSWY3DPEHPK3PXP"
        try run("a=$(\(code)); b=$(credkit otp code Shop al); c=$(\(code)); [ $a = $b ] || [ $c = $b ]")
        try run("test $(credkit keychain get field:Game al --attribute field=otp) = steam://JBSWY3DPEHPK3PXP")
    }

    func testAnArchiveOfOnePasswordIsNamed() throws {
        let outcome = try run("printf 'PK\\003\\004xxxx' > my.1pux; credkit keychain import my.1pux", 65)
        XCTAssertTrue(outcome.errors.contains("import the file 'export.data'"), outcome.errors)
    }

    func testATableInUTF16IsNamed() throws {
        let table = "name,url,username,password\\nt,https://h.example/,u,p\\n"
        let outcome = try run(
            "printf '\(table)' | iconv -f UTF-8 -t UTF-16 > wide.csv; credkit keychain import wide.csv",
            65
        )
        XCTAssertTrue(outcome.errors.contains("iconv -f UTF-16 -t UTF-8"), outcome.errors)
    }

    func testADatabaseIsImportedWithItsPasswordOrItsKeyFile() throws {
        let python = try TestScripts.installedPython()
        let program = "'\(python)' -X utf8 '\(TestScripts.path("keepass_databases.py"))'"
        try run("mkdir db; \(program) small $PWD/db > /dev/null; \(program) keyed $PWD/db > /dev/null")
        let dry = try run("printf password | credkit keychain import --dry-run db/small-4.kdbx")
        XCTAssertEqual(dry.text.split(separator: "\n").count, 2)
        for version in [3, 4] {
            let imported = try run(
                "printf 'password\\n' | credkit keychain import --vault v\(version).vault db/small-\(version).kdbx"
            )
            XCTAssertTrue(imported.errors.contains("imported 2 items"), imported.errors)
            XCTAssertFalse(imported.errors.contains("unencrypted"), imported.errors)
            XCTAssertEqual(
                try run("credkit keychain get title alice --vault v\(version).vault").text,
                "s3cret"
            )
        }
        try run("credkit keychain import --key-file db/key --vault k.vault db/keyed-4.kdbx < /dev/null")
        XCTAssertEqual(try run("credkit keychain get title alice --vault k.vault").text, "s3cret")
        try run("printf password | credkit keychain import --key-file db/key db/keyed-4.kdbx", 77)
        // An empty password beside the key file.
        try run("\(program) empty $PWD/db > /dev/null")
        try run("credkit keychain import --key-file db/key --vault e.vault db/empty-4.kdbx < /dev/null")
        XCTAssertEqual(try run("credkit keychain get title alice --vault e.vault").text, "s3cret")
        try run("printf wrong | credkit keychain import db/small-3.kdbx", 77)
        try run("printf password > password; credkit keychain import --key-file db/key password", 64)
        try run("head -c 1000 db/small-4.kdbx > cut; printf password | credkit keychain import cut", 65)
        try run("credkit keychain import --key-file - db/keyed-4.kdbx < db/key", 64)
    }

    func testAnIncompleteImportExitsWithOne() throws {
        try run("mkdir -p store; printf junk > store/bad.gpg; export GNUPGHOME=$PWD/gpg; mkdir -m 700 gpg")
        let outcome = try run("GNUPGHOME=$PWD/gpg credkit keychain import store", 1)
        XCTAssertTrue(
            outcome.errors.contains("not kept: bad: not imported: gpg cannot decrypt it"),
            outcome.errors
        )
        XCTAssertTrue(outcome.errors.contains("1 entry could not be imported"), outcome.errors)
    }

    /// A stranger's file cannot give its passwords to git, docker, sessions or the slots of a vault.
    func testPurposesOfForeignFilesAreIgnored() throws {
        for purpose in [
            "git", "docker", "vault-slot", "session-key", "session-secret", "other",
        ] {
            let marker =
                #"{\"service\":\"https://github.com\",\"account\":\"al\",\"attributes\":"#
                + #"{\"credkit-purpose\":\"\#(purpose)\"},\"label\":\"My bank\",\"secret\":\"\"}"#
            let outcome = try run(
                """
                cat > bank.json <<'END'
                {"encrypted": false, "items": [{"type": 1, "name": "My bank", "login": {"username": "al", "password": "theirs"},
                  "fields": [{"name": "credkit", "value": "\(marker)", "type": 0}]}]}
                END
                credkit keychain import bank.json --vault v-\(purpose) 2> errors; credkit keychain list --vault v-\(purpose) --json
                """
            )
            XCTAssertFalse(outcome.text.contains("credkit-purpose"), outcome.text)
            XCTAssertTrue(outcome.text.contains("My bank"), outcome.text)
            let errors = try run("cat errors").text
            XCTAssertTrue(errors.contains("ignored"), errors)
        }
    }

    /// In the Secret Service, items are git's and docker's by the mark of their writer.
    func testMarksOfWritersInForeignFilesAreIgnored() throws {
        let marker =
            #"{\"service\":\"x\",\"account\":\"al\",\"attributes\":{\"xdg:schema\":\"org.git.Password\",\"application\":\"chrome\","#
            + #"\"protocol\":\"https\"},\"label\":\"My bank\",\"secret\":\"\"}"#
        let outcome = try run(
            """
            cat > bank.json <<'END'
            {"encrypted": false, "items": [{"type": 1, "name": "My bank", "login": {"username": "al", "password": "theirs"},
              "fields": [{"name": "credkit", "value": "\(marker)", "type": 0}]}]}
            END
            credkit keychain import bank.json --vault v 2> errors; credkit keychain list --vault v --json; cat errors
            """
        )
        XCTAssertTrue(outcome.text.contains("My bank"), outcome.text)
        XCTAssertFalse(
            outcome.text.contains("org.git.Password") || outcome.text.contains("chrome"),
            outcome.text
        )
    }

    /// A file that is said to be of another program could plant what git uses without asking.
    func testItemsThatProgramsUseAreImportedOnlyIfTheFileIsTrusted() throws {
        let outcome = try run(
            #"""
            printf mine | credkit keychain set https://good.example bob --attribute credkit-purpose=git
            item() { printf '{"service":"%s","account":"bob","attributes":{"%s":"%s"},"secret":"planted"},' "$@"; }
            { printf '{"format":"credkit-credentials","version":1,"items":['
              item https://good.example credkit-purpose git; item https://evil.example credkit-purpose git
              item x xdg:schema org.git.Password; item y credkit-purpose session-secret; item mail a b
              printf '{"service":"last","secret":"x"}]}'; } > bitwarden.json
            credkit keychain import --replace bitwarden.json 2> errors; echo $?; cat errors; credkit keychain list --json | grep -c planted
            credkit keychain list | wc -l
            credkit keychain import --trusted --replace bitwarden.json 2> errors; echo $?; credkit keychain list | wc -l
            """#
        )
        XCTAssertTrue(outcome.text.hasPrefix("1\n"), outcome.text + outcome.errors)
        XCTAssertTrue(outcome.text.contains("left out 4 items"), outcome.text)
        XCTAssertTrue(outcome.text.hasSuffix("0\n3\n0\n6\n"), outcome.text)
    }

    func testForeignExportsLeaveOutWhatComponentsKeep() throws {
        let outcome = try run(
            """
            printf mine | credkit keychain set svc al; printf x | credkit keychain set svc al --attribute credkit-purpose=docker
            printf x | credkit keychain set svc al --attribute credkit-purpose=session-secret
            credkit keychain export --format keepassxc-csv out.csv 2>&1; grep -c mine out.csv; grep -c docker out.csv
            credkit keychain export --plain-json all.json 2>&1 | grep exported
            """
        )
        XCTAssertTrue(outcome.text.contains("left out 2 of the items"), outcome.text)
        XCTAssertTrue(outcome.text.contains("exported 1 item\n1\n0\n"), outcome.text)
        XCTAssertTrue(outcome.text.contains("exported 3 items"), outcome.text)
    }
}
