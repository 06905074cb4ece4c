// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitKeychain

extension FuzzTarget {
    /// Feeds files of password managers to the importer, and what it reads to each exporter. An input that begins with a
    /// NUL is the decrypted file of `pass`.
    static let passwordManagers = FuzzTarget("password-managers") { bytes in
        if bytes.first == 0 { return try PasswordManagerProperties.checkPass(Array(bytes.dropFirst())) }
        guard let read = try? PasswordFile.read(SecretBytes(bytes)) else { return }
        let keys = Set(read.credentials.map(\.item.key))
        try requireEqual(keys.count, read.credentials.count, "each item has a key of its own")
        for credential in read.credentials {
            try requireSuccess("an item can be stored") { () throws(KeychainError) in try credential.check() }
        }
        for format in PasswordFile.Format.allCases {
            try PasswordManagerProperties.checkWritten(read.credentials, format)
        }
    }
}

private enum PasswordManagerProperties {
    /// What is written can be read, and is the same if nothing else was announced.
    static func checkWritten(_ credentials: [Credential], _ format: PasswordFile.Format) throws {
        let (document, losses, _) = try requireSuccess("items are written as \(format)") {
            () throws(KeychainError) in
            try PasswordFile.write(credentials, as: format)
        }
        let again = try requireSuccess("written items are read as \(format)") { () throws(KeychainError) in
            try PasswordFile.read(document)
        }
        guard losses.isEmpty else { return }
        let images = again.credentials.map { CredentialImage($0) }
        try require(
            credentials.allSatisfy { images.contains(CredentialImage($0)) },
            "items stay the same as \(format), or it is announced"
        )
    }

    static func checkPass(_ text: [UInt8]) throws {
        guard let entry = try? PassText.entry(SecretBytes(text), path: "host.example/user"),
            let items = try? entry.items()
        else { return }
        for (_, credential) in items where (try? credential.check()) != nil {
            let copy = try requireSuccess("a written entry is read") { () throws(KeychainError) in
                try PassText.entry(PassText.text(credential), path: "a").items()
            }
            try requireEqual(
                copy.first.map { CredentialImage($0.credential) },
                CredentialImage(credential),
                "an entry stays the same"
            )
        }
    }
}
