// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import XCTest

/// Digests of forums and shops, whose application is declared with `--as`.
final class ApplicationHashTests: ShellTestCase {
    /// The example hashes of hashcat for the password `hashcat`, and Joomla's with an empty salt: MD5 of the password.
    private static let examples = [
        ("vbulletin", "28f9975808ae2bdc5847b1cda26033ea:308", "vbulletin"),
        ("mybb", "022f7e02b3314f7d0968f73c00ba759f:67588", "mybb"),
        ("ipb", "022f7e02b3314f7d0968f73c00ba759f:67588", "ipb"),
        ("smf", "d27c0a627a45db487af161fcc3a4005d88eb8a1f:25551135", "smf"),
        ("wbb3", "7f8d1951fe48ae3266980c2979c141f60e4415e5:5037864764153886517871426607441768004150", "wbb3"),
        ("opencart", "058c1c3773340c8563421e2b17e60eb7c916787e:827500576", "opencart"),
        ("joomla", "b78f863f2c67410c41e617f724e22f34:89384528665349271307465505333378", "salted-md5"),
        ("joomla", "8743b52063cd84097a65d1633f5c74f5:", "md5"),
        ("joomla", "8743b52063cd84097a65d1633f5c74f5", "md5"),
        ("oscommerce", "e983672a03adcc9767b24584338eb378:00", "salted-md5"),
        (
            "salted-md5 --salt-separator :",
            "b78f863f2c67410c41e617f724e22f34:89384528665349271307465505333378",
            "salted-md5"
        ),
        (
            "salted-md5 --salt-separator : --position prefix", "e983672a03adcc9767b24584338eb378:00",
            "salted-md5"
        ),
    ]

    private let cost = "--memory 64KiB --passes 1"

    func testDeclaredDigestsVerifyAuditAndUpgrade() throws {
        for (kind, text, scheme) in Self.examples {
            try run("printf hashcat | credkit verify -q --as \(kind) \(text)")
            try run("printf Hashcat | credkit verify -q --as \(kind) \(text)", 1)
            let shown = try run("credkit inspect --as \(kind) \(text)").text
            XCTAssertTrue(shown.split(separator: "\n")[0].hasSuffix(" \(scheme)"), shown)
            let table = "printf 'id,hash\\n1,\(text)\\n2,!\(text)\\n' > in.csv; rm -f out.csv"
            let options = "--hash-column hash --as \(kind) \(cost)"
            let audit = try run("\(table); credkit audit in.csv --json \(options)")
            XCTAssertTrue(audit.text.contains("\"scheme\":\"\(scheme)\""), audit.text)
            XCTAssertTrue(audit.text.contains("\"ambiguous\":0"), audit.text)
            let after = try run(
                "\(table); credkit upgrade --allow-incompatible --input in.csv --output out.csv \(options); tail -n 2 out.csv | cut -d, -f2- | tr -d '\"'"
            )
            let hashes = after.text.split(separator: "\n").map(String.init)
            XCTAssertTrue(hashes[1].hasPrefix("!$layered-argon2id$"), hashes[1])
            for hash in [hashes[0], String(hashes[1].dropFirst())] {
                try run("printf hashcat | credkit verify -q '\(hash)'")
                try run("printf Hashcat | credkit verify -q '\(hash)'", 1)
            }
        }
    }

    /// FluxBB hashes the password alone, except in rows that came from PunBB.
    func testFluxBBHasDigestsWithAndWithoutASalt() throws {
        let digests = """
            printf hashcat > password
            plain=$(sha1sum < password | cut -c1-40); salted=$({ printf salt; printf $plain; } | sha1sum | cut -c1-40)

            """
        for (text, scheme) in [("$plain", "sha1"), ("$plain:", "sha1"), ("$salted:salt", "punbb")] {
            try run(digests + "credkit verify -q --as fluxbb --password-file password \(text)")
            try run(digests + "printf x | credkit verify -q --as fluxbb \(text)", 1)
            try run(digests + "credkit inspect --as fluxbb \(text) | grep -x 'scheme: *\(scheme)'")
        }
    }

    /// A salt can be any bytes, in a hash as in a table.
    func testSaltsThatAreNotUTF8Verify() throws {
        try run(
            #"""
            printf 'passwords\377' | md5sum | { read -r digits _; printf '%s:s\377' "$digits"; } > hash
            printf password | credkit verify -q --as joomla --hash-file hash
            printf password | credkit verify -q --as joomla "$(cat hash)"
            credkit inspect --as joomla < hash | grep -x 'salt-length: *2'
            """#
        )
    }

    /// Between colons, and where the name of the user is the salt.
    func testSaltsInColumns() throws {
        let digest = "d27c0a627a45db487af161fcc3a4005d88eb8a1f"
        try run("printf hashcat | credkit verify -q --as smf --salt 25551135 \(digest)")
        try run(
            """
            printf '25551135:\(digest)\\n' > in
            credkit audit in --as smf --salt-column 1 \(cost)
            credkit upgrade --allow-incompatible --input in --output out --as smf --salt-column 1 \(cost)
            printf hashcat | credkit verify -q "$(cut -d : -f 2 out)"
            """
        )
    }

    func testNothingIsGuessed() throws {
        let text = "8743b52063cd84097a65d1633f5c74f5:salt"
        for command in ["verify", "inspect"] {
            let outcome = try run("printf x | credkit \(command) \(text)", 65)
            XCTAssertTrue(outcome.errors.contains("--as joomla, oscommerce"), outcome.errors)
        }
        for mark in ["", "!"] {
            let table = "printf 'id,hash\\n1,\(mark)\(text)\\n' > in.csv; rm -f out.csv; "
            for kind in ["", "--as md5"] {
                let audit = try run(table + "credkit audit in.csv --json --hash-column hash \(kind)", 65)
                XCTAssertTrue(audit.text.contains("\"ambiguous\":1"), audit.text)
                let upgrade = try run(
                    table
                        + "credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column hash \(kind) \(cost)",
                    65
                )
                XCTAssertTrue(
                    upgrade.errors.contains("record 2: hexadecimal digits with a salt"),
                    upgrade.errors
                )
            }
            let noSalt = table.replacing(":salt", with: "")
            let upgrade = try run(
                noSalt
                    + "credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column hash --as mybb \(cost)",
                65
            )
            XCTAssertTrue(upgrade.errors.contains("record 2: the hash has no salt"), upgrade.errors)
            let audit = try run(noSalt + "credkit audit in.csv --json --hash-column hash --as mybb", 65)
            XCTAssertTrue(audit.text.contains("\"ambiguous\":1"), audit.text)
        }
        try run("printf x | credkit verify --as oscommerce 8743b52063cd84097a65d1633f5c74f5", 65)
    }

    func testContradictionsAreMistakes() throws {
        for options in [
            "--as vbulletin --position prefix", "--as vbulletin --rounds 2", "--as vbulletin --key-id a",
            "--as md5 --salt-separator :", "--salt-separator :",
            "--as salted-md5 --salt-separator : --salt x",
            "--as joomla --salt-separator : --salt x", "--as mybb --salt ''", "--as smf --salt ''",
        ] {
            try run("printf x | credkit verify \(options) 8743b52063cd84097a65d1633f5c74f5:a", 64)
        }
    }

    /// The hashes of MediaWiki begin with a colon: between colons, their field is empty.
    func testHashesOfMediaWikiBetweenColonsAreNoAccountsWithoutAHash() throws {
        let hashes = [
            ":A:5f4dcc3b5aa765d61d8327deb882cf99", ":B:salt:9842afc7cb949c440c51347ed809362f",
            ":bcrypt:5$CCCCCCCCCCCCCCCCCCCCC.$E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW",
            ":pbkdf2:sha512:2:20:c2FsdA==:4dnBaqaBcIpF9cfE4hXOtm4BGi4=",
        ]
        for hash in hashes {
            try run(
                "printf 'a:$1$abc$iCQ2D3nhptRYi27fDYv2s1\\nb:\(hash)\\nc::A:B:\\nd::1000:\\n' > table; rm -f out"
            )
            let audit = try run("credkit audit table --json", 65)
            XCTAssertTrue(audit.text.contains("\"incomplete\":1,\"incompleteRows\":[2]"), audit.text)
            XCTAssertTrue(audit.text.contains("\"empty\":2"), audit.text)
            XCTAssertTrue(
                audit.errors.contains("table: record 2: the hash is cut off: hashes of MediaWiki"),
                audit.errors
            )
            let upgrade = try run(
                "credkit upgrade --allow-incompatible --input table --output out \(cost)",
                65
            )
            XCTAssertTrue(
                upgrade.errors.contains("record 2: the hash is cut off: hashes of MediaWiki"),
                upgrade.errors
            )
        }
        try run(
            """
            printf 'id,hash\\na,:B:salt:9842afc7cb949c440c51347ed809362f\\n' > in.csv
            credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column hash \(cost)
            printf password | credkit verify -q "$(tail -n 1 out.csv | cut -d, -f2- | tr -d '"')"
            credkit inspect :B:salt:9842afc7cb949c440c51347ed809362f | grep -x 'system: *MediaWiki'
            """
        )
    }

    /// Cells of CSV double the quotes of JSON.
    func testCredentialsOfKeycloakInATable() throws {
        let secret =
            #"{\"value\":\"JsfNbCOIdZUbyBJ+BT+VoGI91Ec2rWLOvkLPDaX8e9k=\",\"salt\":\"P5rtFkGtPfoaryJ6PizUJw==\"}"#
        let data = #"{\"hashIterations\":27500,\"algorithm\":\"pbkdf2-sha256\"}"#
        let text = #"{"type":"password","secretData":"\#(secret)","credentialData":"\#(data)"}"#
        try run("printf password | credkit verify -q '\(text)'")
        try run("credkit inspect '\(text)' | grep -x 'system: *Keycloak'")
        let cell = text.replacing("\"", with: "\"\"")
        try Data("id,hash\na,\"\(cell)\"\n".utf8).write(to: shell.folder.appendingPathComponent("in.csv"))
        try run("credkit audit in.csv --hash-column hash \(cost)")
        try run(
            """
            credkit upgrade --allow-incompatible --input in.csv --output out.csv --hash-column hash \(cost)
            hash=$(tail -n 1 out.csv | cut -d, -f2- | tr -d '"')
            printf password | credkit verify -q "$hash"
            """
        )
    }
}
