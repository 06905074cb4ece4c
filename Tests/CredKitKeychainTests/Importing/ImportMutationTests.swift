// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import CredKitVectors
import Foundation
import XCTest

@testable import CredKitKeychain

/// 1,000 mutations of each file end in an error, or in the user names and secrets that the parsers of Python find in the
/// mutated file; see `mutated_values.py`.
final class ImportMutationTests: XCTestCase {
    private static let count = TestForm.isDeep ? 1000 : 200

    /// What a mutated file became: pairs of a user name and a secret, as the program prints them.
    private struct Reading {
        var pairs: Set<String>
        /// Whether all entries were imported.
        var isComplete: Bool
    }

    func testMutatedFilesAreErrorsOrAsPythonReadsThem() throws {
        let cases: [PasswordFileTests.Case] = try VectorFile.load("password-managers").cases
        for vector in cases {
            try check(
                vector.name,
                vector.format,
                Array(vector.document.utf8),
                toleratedCount: vector.format == "keepass-xml" ? 10 : 0
            ) {
                guard let read = try? PasswordFile.read(SecretBytes($0)) else { return nil }
                return Reading(
                    pairs: Self.pairs(read.credentials),
                    isComplete: !read.losses.contains(where: \.isFailure)
                )
            }
        }
    }

    /// As users write them, and with the headers of gopass until version 1.10.
    func testMutatedEntriesOfPassAreErrorsOrAsPythonReadsThem() throws {
        let texts = [
            "p\"ä ss\nlogin: alice@forge.example\nURL: https://forge.example/\n"
                + "otpauth://totp/Forge?secret=GEZDGNBVGY3TQOJQ\nPIN: 1234\n\nuser: other\nuri: x.example\nlast line\n",
            "pw\n---\nusername: bob\nanswers:\n  - first: blue\n  - second: \"red\"\nurl: forge.example",
            "GOPASS-SECRET-1.0\nPassword: p: w\nUser: carol\nPin: 99\nUrl: https://forge.example\n\nbody\nuser: x\n",
        ]
        for text in texts {
            try check(String(text.prefix(17)), "pass", Array(text.utf8), toleratedCount: 0) {
                let entry = try? PassText.entry(SecretBytes($0), path: "host.example/alice")
                guard let items = try? entry?.items() else { return nil }
                return Reading(pairs: Self.pairs(items.map(\.credential)), isComplete: true)
            }
        }
    }

    // How many files may be read that the parser of Python refuses: text between the elements of XML is not checked. All
    // that is read of them must be in the file without the mutation.
    private func check(
        _ name: String,
        _ format: String,
        _ file: [UInt8],
        toleratedCount: Int,
        _ read: ([UInt8]) throws -> Reading?
    ) throws {
        let seed = RandomItems.seed()
        var random = RandomItems(seed: seed)
        let whole = try XCTUnwrap(try read(file), name)
        let focus = places(of: whole, in: file)
        var files = [file]
        for round in 0..<Self.count {
            var mutated = file
            ByteMutation.apply(&mutated, round: round, focus: focus, &random.generator)
            files.append(mutated)
        }
        let input = files.map { "\(format) \(Hex.encode($0))\n" }.joined()
        let program = TestScripts.path("mutated_values.py")
        let outcome = try Python.run(["-X", "utf8", program], input: Data(input.utf8))
        XCTAssertEqual(outcome.status, 0, outcome.errors)
        let lines = String(decoding: outcome.output, as: UTF8.self).components(separatedBy: "\n")
        guard lines.count == files.count + 1 else { return XCTFail("\(lines.count) lines") }
        func expected(_ line: String) -> Set<String> { Set(line.split(separator: " ").map(String.init)) }
        XCTAssertEqual(whole.pairs, expected(lines[0]), name)
        var (readCount, changedCount, malformedCount) = (0, 0, 0)
        for (mutated, line) in zip(files, lines).dropFirst() {
            guard let reading = try read(mutated) else { continue }
            let place = "\(name), CREDKIT_TEST_SEED=\(seed): \(String(decoding: mutated, as: UTF8.self))"
            readCount += 1
            if line == "-" {
                malformedCount += 1
                XCTAssertLessThanOrEqual(malformedCount, toleratedCount, "malformed, but imported: \(place)")
                XCTAssertTrue(reading.pairs.isSubset(of: whole.pairs), place)
                continue
            }
            let pairs = expected(line)
            if pairs != whole.pairs { changedCount += 1 }
            XCTAssertTrue(
                reading.isComplete ? reading.pairs == pairs : reading.pairs.isSubset(of: pairs),
                "\(reading.pairs.symmetricDifference(pairs)) in \(place)"
            )
        }
        // Most of a file is no secret, and enough mutations must be left to compare.
        XCTAssertGreaterThan(readCount, Self.count / 10, name)
        XCTAssertGreaterThan(changedCount, Self.count / 10, name)
    }

    /// Returns the indices of the bytes of secrets, as far as they stand in the file unescaped.
    private func places(of reading: Reading, in file: [UInt8]) -> [Int] {
        let secrets = reading.pairs.compactMap { pair in
            pair.firstIndex(of: ":").flatMap { try? Hex.decode(String(pair[pair.index(after: $0)...])) }
        }
        let data = Data(file)
        return secrets.compactMap { data.range(of: Data($0)) }.flatMap { Array($0) }
    }

    private static func pairs(_ credentials: [Credential]) -> Set<String> {
        var pairs: Set<String> = []
        for credential in credentials where !credential.secret.isEmpty {
            switch EntryPart.of(credential).0 {
            case .oneTimeCode: continue
            case .field(let name, _) where name == "otp" || name == PasswordEntry.addressName: continue
            default: break
            }
            let secret = credential.secret.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
            let texts = [Array((credential.item.account ?? "").utf8), secret].map { Hex.encode(normal($0)) }
            pairs.insert(texts.joined(separator: ":"))
        }
        return pairs
    }

    /// Replaces control characters and line ends as the program does.
    private static func normal(_ bytes: [UInt8]) -> [UInt8] {
        var normal: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case 13: normal.append(10)
            case 10 where index > 0 && bytes[index - 1] == 13: break
            case 9, 10, 0x20...: normal.append(byte)
            default: normal += Array(String(UnicodeScalar(0xE000 + UInt32(byte)) ?? " ").utf8)
            }
        }
        return normal
    }
}
