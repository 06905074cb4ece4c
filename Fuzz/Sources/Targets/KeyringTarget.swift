// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitKeychain
import FoundationEssentials

extension FuzzTarget {
    /// Feeds keyring files, and the decrypted items in them: any bytes, and items in files that are authentic.
    static let keyring = FuzzTarget("keyring") { bytes in
        var input = FuzzInput(bytes)
        let mode = input.byte() % 5
        let rest = input.remaining
        switch mode {
        case 0: _ = try? LibsecretKeyringFile.Keyring(LibsecretKeyringFile.magic + [1, 0] + rest)
        case 1: try KeyringProperties.checkOpenItem(rest)
        case 2: try KeyringProperties.checkFile(rest)
        case 3: try KeyringProperties.checkArray(rest)
        default: try KeyringProperties.checkWritten(&input)
        }
    }
}

private enum KeyringProperties {
    /// Only one sequence of bytes stands for an item.
    static func checkOpenItem(_ plaintext: [UInt8]) throws {
        guard let item = try? LibsecretKeyringFile.OpenItem(plaintext.span) else { return }
        // The order of several attributes is not stored. In containers of more than 255 bytes, offsets may be larger than
        // they need to be.
        guard item.attributes.count < 2, plaintext.count < 256 else { return }
        try requireEqual(
            plaintext,
            self.plaintext(item.credential, item.attributes),
            "only the normal form is accepted"
        )
    }

    private static func plaintext(_ credential: Credential, _ attributes: [String: String]) -> [UInt8] {
        let seconds = [credential.item.created, credential.item.modified].map {
            UInt64($0?.timeIntervalSince1970 ?? 0)
        }
        let entries = attributes.map { name, value in
            GVariantWriter.tuple([
                .bytes(GVariantWriter.string(name)), .bytes(GVariantWriter.string(value)),
            ])
        }
        return GVariantWriter.tuple([
            .bytes(GVariantWriter.array(entries)), .bytes(GVariantWriter.string(credential.item.label)),
            .number(seconds[0], byteCount: 8), .number(seconds[1], byteCount: 8),
            .bytes(credential.secret.copy),
        ])
    }

    /// The file of an item is read if and only if the item itself is.
    static func checkFile(_ plaintext: [UInt8]) throws {
        let item = try? LibsecretKeyringFile.OpenItem(plaintext.span)
        let attributes = item?.attributes ?? [:]
        let file = try KeyringWriter().file([(plaintext, attributes)])
        let password = try SecretBytes(KeyringWriter.password)
        let read = try? LibsecretKeyringFile.read(file, password: password)
        try requireEqual(
            read?.map { CredentialImage($0) },
            item.map { [CredentialImage($0.credential)] },
            "an authentic file is read as its items are"
        )
        guard let name = attributes.keys.sorted().first else { return }
        let others = attributes.merging([name: "other"]) { $1 }
        guard others != attributes else { return }
        let exchanged = try KeyringWriter().file([(plaintext, others)])
        try require(
            (try? LibsecretKeyringFile.read(exchanged, password: password)) == nil,
            "an exchanged attribute is detected"
        )
    }

    /// The elements of an array follow each other, and end before its offsets.
    static func checkArray(_ bytes: [UInt8]) throws {
        guard let ranges = try? GVariant.elements(of: 0..<bytes.count, limit: 50, in: bytes.span) else {
            return
        }
        try require(ranges.count <= 50, "the number of elements is limited")
        let elements = ranges.map { Array(bytes[$0]) }
        if bytes.count < 256 {
            try requireEqual(GVariantWriter.array(elements), bytes, "only the normal form is accepted")
        }
        try require(
            ranges.last.map { $0.upperBound < bytes.count } ?? bytes.isEmpty,
            "elements end before the offsets"
        )
        for range in ranges {
            guard let text = try? GVariant.string(range, in: bytes.span) else { continue }
            try requireEqual(GVariantWriter.string(text), Array(bytes[range]), "a string has one form")
        }
    }

    /// What is written is read.
    static func checkWritten(_ input: inout FuzzInput) throws {
        let changes = try FuzzCredentials.changes(&input)
        let credentials = changes.compactMap { if case .set(let credential) = $0 { credential } else { nil } }
            .filter { credential in !"\(credential.item.key)\(credential.item.label)".utf8.contains(0) }
        let items = credentials.map { credential in
            let attributes = credential.item.key.allAttributes
            return (plaintext: plaintext(credential, attributes), attributes: attributes)
        }
        let file = try KeyringWriter().file(items)
        let password = try SecretBytes(KeyringWriter.password)
        let read = try requireSuccess("a written keyring is read") { () throws(KeychainError) in
            try LibsecretKeyringFile.read(file, password: password)
        }
        try requireEqual(read.map(\.item.label), credentials.map(\.item.label), "labels")
        try requireEqual(read.map(\.secret.copy), credentials.map(\.secret.copy), "secrets")
    }
}
