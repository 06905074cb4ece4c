// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// Salts that could be read in a wrong way, so that a layered hash would verify no password.
@Suite struct SaltReadingTests {
    private static let cheap = "--memory 64KiB --passes 1"

    /// Runs a script in a new folder.
    private func run(_ script: String) throws -> Shell.Outcome {
        let shell = try Shell()
        defer { shell.remove() }
        return try shell.run("cheap='\(Self.cheap)'\n\(script)")
    }

    @Test(
        arguments: [
            "--as joomla", "--as joomla --delimiter : --format csv --hash-column 2",
            "--as salted-md5 --salt-separator :",
            "--as salted-md5 --salt-separator ';' --delimiter ';' --format csv --hash-column 2",
        ] as [String]
    )
    func aSaltBehindTheSeparatorOfTheTableIsAFieldOfItsOwn(options: String) throws {
        let outcome = try run(
            """
            echo "alice:$(printf passwordabc | md5sum | cut -c1-32):abc" > table
            credkit audit $cheap \(options) table; echo $?
            credkit upgrade --allow-incompatible $cheap \(options) --input table --output out; echo $?; ls out
            """
        )
        #expect(outcome.text == "64\n64\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("--salt-column"), "\(outcome.errors)")
    }

    @Test(arguments: ["NULL", "NULl", "Alice"] as [String])
    func aNameThatReadsAsNullIsTheSaltOfSMF(name: String) throws {
        let outcome = try run(
            """
            echo "\(name),$(printf %s '\(name)' | tr A-Z a-z | { cat; printf password; } | sha1sum | cut -c1-40)" > in.csv
            credkit upgrade --allow-incompatible $cheap --as smf --hash-column 2 --salt-column 1 --input in.csv --output out.csv || exit
            cut -d, -f2- out.csv | tr -d '"' > hash; printf password | credkit verify --hash-file hash
            """
        )
        #expect(outcome.text == "match\n", "\(outcome.errors)")
    }

    @Test(
        arguments: [
            ("in.csv", "NULL", "salted-md5"), ("in.csv", #"\N"#, "salted-md5"),
            ("in.tsv", "NULL", "salted-md5"),
            ("in.tsv", #"\N"#, "salted-md5"), ("in.csv", "abc", "salted-md5 --null abc"),
            ("in.tsv", #"\N"#, "smf"),
        ] as [(String, String, String)]
    )
    func aSaltThatReadsAsNullIsReported(name: String, salt: String, kind: String) throws {
        let digits = String(repeating: "8", count: kind == "smf" ? 40 : 32)
        let separator = name == "in.csv" ? "," : "\t"
        let outcome = try run(
            #"""
            printf '%s\n' '1\#(separator)\#(digits)\#(separator)\#(salt)' > \#(name)
            options='--as \#(kind) --hash-column 2 --salt-column 3'
            credkit audit $cheap $options --json \#(name) | jq -c '[.records, .incomplete]'
            credkit upgrade --allow-incompatible $cheap $options --input \#(name) --output out; echo $?; cmp \#(name) out
            """#
        )
        #expect(outcome.text == "[1,1]\n65\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("the salt is NULL"), "\(outcome.errors)")
    }

    @Test(
        arguments: [
            ("--as salted-sha1 --salt-separator :", 1), ("--as oscommerce", 0),
            ("--as salted-md5 --salt-separator :", 0),
        ] as [(String, Int)]
    )
    func bothCommandsReadASaltBehindAMarkAndDigitsAlike(options: String, layered: Int) throws {
        let outcome = try run(
            """
            printf 'a,*5BAA61E4C9B93F3F0682250B6CF8331B7EE68FD8:abc\n' > in.csv
            credkit audit $cheap --hash-column 2 \(options) --json in.csv | jq .upgradable
            credkit upgrade --allow-incompatible $cheap --hash-column 2 \(options) --input in.csv --output out.csv --json | jq .layered
            """
        )
        #expect(outcome.text == "\(layered)\n\(layered)\n", "\(outcome.errors)")
    }

    @Test(
        arguments: [("", 65), ("!", 65), ("*LK*", 65)] as [(String, Int)]
    )
    func aHashOfJoomlaIsNotCutOffInSilence(mark: String, status: Int) throws {
        let outcome = try run(
            """
            echo "u:\(mark){SHA256}$(printf secretsalt | sha256sum | cut -c1-64):salt" > table
            credkit audit $cheap --json table | jq -c '[.records, .incomplete]'
            credkit upgrade --allow-incompatible $cheap --input table --output out; echo $?; cmp table out
            """
        )
        #expect(outcome.text == "[1,1]\n\(status)\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("hashes of Joomla contain colons"), "\(outcome.errors)")
    }

    /// MyBB and PunBB take it for one of the password alone then, and the definition of the digest does not.
    @Test(arguments: ["mybb", "punbb", "vbulletin"] as [String])
    func anEmptySaltOfAnApplicationIsNotGuessed(kind: String) throws {
        let digits = String(repeating: "8", count: kind == "punbb" ? 40 : 32)
        let outcome = try run(
            """
            options='--as \(kind) --hash-column 2'
            printf '%s\n' '1,\(digits),' > in.csv; printf '%s\n' '1,\(digits):' > cell.csv
            credkit audit $cheap $options --salt-column 3 in.csv > /dev/null; echo $?
            credkit upgrade --allow-incompatible $cheap $options --salt-column 3 --input in.csv --output out; echo $?; cmp in.csv out
            credkit upgrade --allow-incompatible $cheap $options --input cell.csv --output cell; echo $?; cmp cell.csv cell
            """
        )
        #expect(outcome.text == "65\n65\n65\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("the salt is empty"), "\(outcome.errors)")
    }

    /// A part of a table must not pass for the table.
    @Test func aPartOfAShardIsNoTable() throws {
        let outcome = try run(
            """
            for i in 1 2 3; do echo "user$i:{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ="; done > in
            credkit upgrade --allow-incompatible $cheap --input in --output part --shard 1/2
            credkit audit $cheap part; echo $?; credkit upgrade --allow-incompatible $cheap --input part --output out; echo $?
            """
        )
        #expect(outcome.text == "65\n65\n", "\(outcome.errors)")
        #expect(outcome.errors.contains("--join"), "\(outcome.errors)")
    }

    /// Dovecot's passwd-file has the numbers of user and group behind a hash without a salt.
    @Test func aHashOfDovecotIsLayeredBetweenColons() throws {
        let outcome = try run(
            """
            echo "u:{SHA256}$(printf secret | sha256sum | cut -c1-64):1000:1000::/home/u::" > table
            credkit upgrade --allow-incompatible $cheap --input table --output out || exit
            cut -d: -f2 out > hash; printf secret | credkit verify --hash-file hash
            """
        )
        #expect(outcome.text == "match\n", "\(outcome.errors)")
    }
}
