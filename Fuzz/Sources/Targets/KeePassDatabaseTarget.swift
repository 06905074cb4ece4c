// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitKeychain

extension FuzzTarget {
    /// Feeds databases of KeePass: any header, authentic files with any content, changed files, and key files.
    static let keePassDatabases = FuzzTarget("keepass-databases") { bytes in
        var input = FuzzInput(bytes)
        let mode = input.byte() % 8
        let rest = input.remaining
        switch mode {
        case 0: _ = try? KDBXHeader(KDBXHeader.signature + [0x67, 0xFB, 0x4B, 0xB5] + rest)
        case 1:
            // Nothing cannot be encrypted.
            if !rest.isEmpty { _ = try KeePassDatabaseProperties.read(DatabaseWriter.version4(rest)) }
        case 2: try KeePassDatabaseProperties.checkDocument(rest)
        case 3: try KeePassDatabaseProperties.checkChange(&input, isOld: false)
        case 4: try KeePassDatabaseProperties.checkChange(&input, isOld: true)
        case 5: try KeePassDatabaseProperties.checkTexts(&input)
        case 6: _ = try? KeePassKeyFile.key(of: SecretBytes(rest))
        default:
            _ = try? KDBXBlocks.hashed(rest.span)
            let output = try? Gzip.decompress(rest.span, limit: 1 << 20)
            try require(output?.count ?? 0 <= 1 << 20, "the size of what is decompressed is limited")
        }
    }
}

private enum KeePassDatabaseProperties {
    private static let document = Array(
        ("<Root><Group><Entry><String><Key>Title</Key><Value>title</Value></String><String><Key>Password</Key><Value>"
            + "s3cret</Value></String></Entry></Group></Root></KeePassFile>").utf8
    )

    static func read(_ file: [UInt8]) throws -> [CredentialImage]? {
        let password = try SecretBytes(DatabaseWriter.password)
        return (try? KeePassDatabase.read(file, password: password))?.credentials.map { CredentialImage($0) }
    }

    /// A document in either version is read as it is outside of a database.
    static func checkDocument(_ rest: [UInt8]) throws {
        let xml = Array("<KeePassFile><Meta></Meta>".utf8) + rest
        let alone = (try? PasswordFile.read(SecretBytes(xml)))?.credentials.map { CredentialImage($0) }
        let isPlain = (try? KDBXProtectedTexts.document(xml.span, nil)) != nil
        let new = try read(DatabaseWriter.version4(DatabaseWriter.innerHeader + xml))
        let old = try read(DatabaseWriter.version3(rest))
        try requireEqual(new, old, "both versions are read alike")
        guard isPlain, let alone else { return }
        try requireEqual(new, alone, "a document is read as it is outside of a database")
    }

    /// No part of a file can be changed.
    static func checkChange(_ input: inout FuzzInput, isOld: Bool) throws {
        let whole = Array("<KeePassFile>".utf8) + document
        let file =
            try isOld
            ? DatabaseWriter.version3(document)
            : DatabaseWriter.version4(DatabaseWriter.innerHeader + whole)
        try require(try read(file) != nil, "an authentic database is read")
        let index = (input.number(below: 256) << 8 | input.number(below: 256)) % file.count
        let mask = input.byte()
        var changed = file
        changed[index] ^= mask
        // More rounds of the key derivation, which the old version authenticates after them.
        if case .aes(_, let rounds)? = (try? KDBXHeader(changed))?.keyDerivation, rounds > 1000 { return }
        try require(try mask == 0 || read(changed) == nil, "a changed byte is detected")
        try require(try read(Array(file[..<index])) == nil, "a truncation is detected")
        try require(try read(file + input.bytes(40) + [0]) == nil, "more bytes are detected")
    }

    /// Encrypted texts are read as they were.
    static func checkTexts(_ input: inout FuzzInput) throws {
        let stream = try KDBXInnerStream(3, DatabaseWriter.streamKey.span)
        var texts: [[UInt8]] = []
        for _ in 0..<1 + input.number(below: 5) {
            texts.append(Array(String(decoding: input.line(), as: UTF8.self).utf8))
        }
        let plain = texts.flatMap { $0 }
        var encrypted: ArraySlice<UInt8> = []
        if !plain.isEmpty, let stream { encrypted = try stream.open(SecretBytes(plain)).copy[...] }
        var xml = "<KeePassFile><Root><Group>"
        for (number, text) in texts.enumerated() {
            let encoded = Base64.standard.encode(Array(encrypted.prefix(text.count)))
            encrypted = encrypted.dropFirst(text.count)
            xml +=
                "<Entry><String><Key>Title</Key><Value>t\(number)</Value></String><String><Key>Password</Key>"
            xml += "<Value Protected=\"True\">\(encoded)</Value></String></Entry>"
        }
        let document = Array((xml + "</Group></Root></KeePassFile>").utf8)
        let read = try requireSuccess("encrypted texts are read") { () throws(KeychainError) in
            try PasswordFile.read(KDBXProtectedTexts.document(document.span, stream))
        }
        try requireEqual(read.credentials.map(\.secret.copy), texts, "encrypted texts stay the same")
    }
}
