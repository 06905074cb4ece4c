// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport
import Foundation
import Testing

@testable import CredKitKeychain

/// Databases that pykeepass and keepassxc-cli write; see `keepass_databases.py`.
@Suite struct KeePassDatabaseTests {
    /// A database, with what pykeepass reads in it.
    struct Case: Decodable {
        var file: String
        var password: String?
        var keyFile: String?
        /// For each item: label, account, address, folder, secret.
        var items: [[String]]
        var codeCount: Int
        var details: String

        func bytes() throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: file))) }

        func read() throws -> PasswordImport {
            try KeePassDatabase.read(
                bytes(),
                password: password.map { try SecretBytes($0) },
                keyFile: keyFile.map {
                    try SecretBytes([UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))))
                }
            )
        }
    }

    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func databases(_ kind: String, _ arguments: String...) throws -> [Case] {
        let program = TestScripts.path("keepass_databases.py")
        let outcome = try Python.run(["-X", "utf8", program, kind, folder.path] + arguments)
        try #require(outcome.status == 0, "\(outcome.errors)")
        return try outcome.lines.map { try JSONDecoder().decode(Case.self, from: Data($0.utf8)) }
    }

    private static func error(
        of bytes: [UInt8],
        _ password: String? = "password",
        allowsCostlyKeyDerivation: Bool = false,
        timeout: Duration? = nil
    ) throws -> KeychainError? {
        let password = try password.map { try SecretBytes($0) }
        do throws(KeychainError) {
            _ = try KeePassDatabase.read(
                bytes,
                password: password,
                allowsCostlyKeyDerivation: allowsCostlyKeyDerivation,
                timeout: timeout
            )
            return nil
        } catch {
            return error
        }
    }

    // MARK: What is read

    @Test func allFormsHaveTheEntriesThatPykeepassReads() throws {
        let seed = RandomItems.seed()
        let cases =
            try TestForm.isDeep
            ? databases("random", "1000", "\(seed)", "keepassxc") : databases("random", "40", "\(seed)")
        #expect(cases.count == (TestForm.isDeep ? 1000 : 40))
        for one in cases {
            let imported = try one.read()
            let place: Comment = "\(one.file), \(one.details), CREDKIT_TEST_SEED=\(seed)"
            var (items, codeCount): ([[String]], Int) = ([], 0)
            for credential in imported.credentials {
                let item = credential.item
                guard EntryPart.of(credential).0 != .oneTimeCode else {
                    codeCount += 1
                    continue
                }
                let secret = credential.secret.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } }
                items.append([
                    item.label, item.account ?? "", item.key.attributes["url"] ?? "",
                    item.key.attributes["folder"] ?? "", String(decoding: secret, as: UTF8.self),
                ])
            }
            #expect(Self.sorted(items) == Self.sorted(one.items), place)
            #expect(codeCount == one.codeCount, place)
        }
    }

    private static func sorted(_ items: [[String]]) -> [String] {
        items.map { $0.joined(separator: "\u{0}") }.sorted()
    }

    @Test func tenThousandEntriesAreRead() throws {
        let database = try #require(try databases("large", "10000").first)
        #expect(try database.read().credentials.count == 20_000)
    }

    // MARK: What is refused

    @Test func wrongKeysAreToldApartFromDamage() throws {
        for database in try databases("small") {
            let bytes = try database.bytes()
            for wrong in ["", "Password", "password ", "passwort"] {
                #expect(try Self.error(of: bytes, wrong) == .wrongPassphrase)
            }
            #expect(try Self.error(of: bytes, nil) == .noPassphrase)
            let (password, keyFile) = (try SecretBytes("password"), try SecretBytes("key"))
            #expect(throws: KeychainError.wrongPassphrase) {
                try KeePassDatabase.read(bytes, password: password, keyFile: keyFile)
            }
            #expect(try database.read().credentials.count == 2)
        }
    }

    @Test func everyChangedByteIsAnError() throws {
        for database in try databases("small") {
            let bytes = try database.bytes()
            for index in bytes.indices {
                for mask in [0x01, 0xFF] as [UInt8] {
                    var changed = bytes
                    changed[index] ^= mask
                    // More rounds of the key derivation of version 3.1 would be computed.
                    let error = try Self.error(of: changed, timeout: .milliseconds(100))
                    #expect(error != nil, "\(database.file): byte \(index)")
                }
            }
        }
    }

    @Test func everyTruncationIsAnError() throws {
        for database in try databases("small") {
            let bytes = try database.bytes()
            for count in bytes.indices {
                #expect(
                    try Self.error(of: Array(bytes[..<count])) != nil,
                    "\(database.file): \(count) bytes"
                )
            }
            for more in [[0], [UInt8](repeating: 0, count: 16), Array(bytes.suffix(36))] as [[UInt8]] {
                #expect(try Self.error(of: bytes + more) != nil)
            }
        }
    }

    @Test func otherFormsAreRefusedByName() throws {
        let twofish = try #require(try databases("twofish").first).bytes()
        let error = try #require(try Self.error(of: twofish))
        #expect(error == .unsupported && error.message.contains("Twofish"))
        var bytes = twofish
        for (version, expected) in [
            ([0, 0, 3, 0], "KDBX 3.0"), ([2, 0, 4, 0], "KDBX 4.2"), ([0, 0, 5, 0], "KDBX 5.0"),
        ] as [([UInt8], String)] {
            bytes.replaceSubrange(8..<12, with: version)
            let error = try #require(try Self.error(of: bytes))
            #expect(error == .unsupported && error.message.contains(expected), "\(error)")
        }
        bytes[4] = 0x65
        #expect(KeePassDatabase.isDatabase(bytes))
        #expect(try Self.error(of: bytes)?.message.contains("KeePass 1") == true)
        bytes[4] = 0x64
        #expect(!KeePassDatabase.isDatabase(bytes))
        #expect(try Self.error(of: bytes) == .damaged)
    }

    /// The costs are checked before anything else, so that none of these is computed.
    @Test func costsAreLimited() throws {
        let database = try #require(try databases("small").last)
        var bytes = try database.bytes()
        // The rounds: a number of eight bytes with the name R.
        let name: [UInt8] = [0x05, 1, 0, 0, 0, UInt8(ascii: "R"), 8, 0, 0, 0]
        let found = bytes.indices.first { bytes[$0...].starts(with: name) }
        let start = try #require(found) + name.count
        func set(_ rounds: UInt64) {
            bytes.replaceSubrange(start..<start + 8, with: KDBXBlocks.littleEndian(rounds))
        }
        set(200_000_000)
        let error = try #require(try Self.error(of: bytes))
        #expect(error == .overLimit && error.message.contains("--allow-costly"), "\(error)")
        #expect(
            try Self.error(of: bytes, allowsCostlyKeyDerivation: true, timeout: .seconds(1)) == .timedOut
        )
        set(.max)
        #expect(try Self.error(of: bytes, allowsCostlyKeyDerivation: true) == .overLimit)
    }

    @Test func parametersOfArgon2AreChecked() throws {
        func field(_ changed: String = "", to value: (kind: UInt8, bytes: [UInt8])? = nil) -> [UInt8] {
            var values: [(name: String, kind: UInt8, bytes: [UInt8])] = [
                ("$UUID", 0x42, Array(Self.argon2id)), ("S", 0x42, [UInt8](repeating: 1, count: 32)),
                ("V", 0x04, [0x13, 0, 0, 0]), ("P", 0x04, [2, 0, 0, 0]),
                ("M", 0x05, KDBXBlocks.littleEndian(UInt64(1 << 20))),
                ("I", 0x05, KDBXBlocks.littleEndian(UInt64(2))),
            ]
            if let index = values.firstIndex(where: { $0.name == changed }) {
                values[index].bytes = value?.bytes ?? []
                values[index].kind = value?.kind ?? 0x42
            }
            return [0, 1]
                + values.flatMap { one -> [UInt8] in
                    let name = Array(one.name.utf8)
                    return [one.kind] + KDBXBlocks.littleEndian(UInt32(name.count)) + name
                        + KDBXBlocks.littleEndian(UInt32(one.bytes.count)) + one.bytes
                } + [0]
        }
        func error(_ changed: String, _ kind: UInt8, _ number: UInt64) -> KeychainError? {
            let bytes = Array(KDBXBlocks.littleEndian(number).prefix(kind == 0x04 ? 4 : 8))
            do throws(KeychainError) {
                try KDBXKeyDerivation(field(changed, to: (kind, bytes))).check(
                    allowsMore: false,
                    timeout: nil
                )
                return nil
            } catch {
                return error
            }
        }
        #expect(throws: Never.self) { try KDBXKeyDerivation(field()).check(allowsMore: false, timeout: nil) }
        #expect(throws: KeychainError.damaged) { try KDBXKeyDerivation(field("S")) }
        #expect(throws: KeychainError.damaged) { try KDBXKeyDerivation(field() + [0]) }
        #expect(throws: KeychainError.damaged) { try KDBXKeyDerivation(Array(field().dropLast())) }
        #expect(throws: KeychainError.unsupported) {
            try KDBXKeyDerivation(field("$UUID", to: (0x42, [UInt8](repeating: 0, count: 16))))
        }
        #expect(error("V", 0x04, 0x12) == .unsupported)
        #expect(error("P", 0x04, 0) == .damaged)
        #expect(error("P", 0x04, 1 << 24) == .damaged)
        #expect(error("I", 0x05, 0) == .damaged)
        #expect(error("I", 0x05, .max) == .damaged)
        #expect(error("I", 0x05, 1_000_000) == .overLimit)
        #expect(error("M", 0x05, 15 << 10) == .damaged)
        #expect(error("M", 0x05, 513 << 20) == .overLimit)
        #expect(error("M", 0x05, .max) == .damaged)
        #expect(error("M", 0x04, 1 << 20) == nil)
        #expect(error("M", 0x0D, 1 << 20) == .damaged)
    }

    private static let argon2id: [UInt8] = [
        0x9E, 0x29, 0x8B, 0x19, 0x56, 0xDB, 0x47, 0x73, 0xB2, 0x3D, 0xFC, 0x3E, 0xC6, 0xF0, 0xA1, 0xE6,
    ]

    @Test func keyFilesAreChecked() throws {
        func key(_ text: String) throws(KeychainError) -> SecretBytes {
            try KeePassKeyFile.key(of: convertingMemory(SecretBytes(text)))
        }
        func xml(_ version: String, _ data: String) -> String {
            "<KeyFile><Meta><Version>\(version)</Version></Meta><Key>\(data)</Key></KeyFile>"
        }
        let digits = String(repeating: "0f", count: 32)
        let expected = try SecretBytes([UInt8](repeating: 15, count: 32))
        let hash = SHA256.hash(secret: expected).hex.prefix(8)
        #expect(try key(xml("2.0", "<Data Hash=\"\(hash)\">\n \(digits) \n</Data>")) == expected)
        #expect(try key("\u{FEFF}" + xml("2.0", "<Data Hash=\"\(hash)\">\(digits)</Data>")) == expected)
        #expect(try key(digits) == expected)
        #expect(try key(xml("1.00", "<Data>Dw8P</Data>")) == SecretBytes([15, 15, 15] as [UInt8]))
        for (text, error) in [
            (xml("2.0", "<Data Hash=\"00000000\">\(digits)</Data>"), .damaged),
            (xml("2.0", "<Data>\(digits)</Data>"), .damaged),
            (xml("2.0", "<Data Hash=\"\(hash)\">0f</Data>"), .damaged),
            (xml("1.00", "<Data></Data>"), .damaged), (xml("1.00", "<Data>!</Data>"), .damaged),
            (xml("1.00", ""), .damaged), (xml("3.0", "<Data>AAAA</Data>"), .unsupported),
            ("<KeyFile>", .damaged), ("", .invalid),
        ] as [(String, KeychainError)] {
            #expect(throws: error, "\(text)") { try key(text) }
        }
        // Not XML of KeePass: any file is a key.
        #expect(try key("<other/>") == SecretBytes(SHA256.hash(data: Array("<other/>".utf8)).bytes))
    }
}
