// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
@testable import CredKitCommand
@testable import CredKitKeychain

extension FuzzTarget {
    /// Feeds git's messages, stored secrets and URLs to the credential helper.
    static let gitCredential = FuzzTarget("git-credential") { bytes in
        var input = FuzzInput(bytes)
        switch input.byte() % 3 {
        case 0: try GitProperties.checkMessage(input.remaining)
        case 1: try GitProperties.checkStored(input.remaining)
        default: try GitProperties.checkURL(input.remaining)
        }
    }
}

private enum GitProperties {
    private static func isLineBreak(_ byte: UInt8) -> Bool { byte == 0 || byte == 10 || byte == 13 }

    static func checkMessage(_ bytes: [UInt8]) throws {
        guard let message = try? GitCredentialMessage(SecretBytes(bytes)) else { return }
        // A value with a line feed would begin another attribute in an answer.
        let texts = [
            message.protocolName, message.host, message.path, message.username, message.authenticationType,
        ]
        for text in texts {
            try require(
                text.map { !$0.utf8.contains(where: isLineBreak) } ?? true,
                "a value is one line"
            )
        }
        for secret in [message.password, message.refreshToken, message.encodedCredential] {
            let copy = secret?.copy ?? []
            try require(!copy.contains(where: isLineBreak), "a secret is one line")
        }
        if let address = message.address {
            try require(address.hasPrefix(message.protocolName ?? "?"), "an address begins with the protocol")
            try require(message.matches(address: address), "a message matches its own address")
        }
        guard let stored = try GitStoredSecret.encode(message) else { return }
        let read = try GitStoredSecret(stored)
        try requireEqual(read.password.copy, message.password?.copy ?? [], "the stored password")
        try requireEqual(read.expiry, message.expiry, "the stored end")
        try requireEqual(read.refreshToken?.copy, message.refreshToken?.copy, "the stored token")
        guard message.authenticationType != nil, let credential = message.encodedCredential else { return }
        try requireEqual(read.encodedCredential?.copy, credential.copy, "the stored credential")
        try requireEqual(read.authenticationType, message.authenticationType, "the stored type")
    }

    /// The first line of any stored secret is the password.
    static func checkStored(_ bytes: [UInt8]) throws {
        let stored = try GitStoredSecret(SecretBytes(bytes))
        try requireEqual(
            stored.password.copy,
            Array(bytes.prefix { $0 != 10 }),
            "the password is the first line"
        )
        _ = stored.isExpired(at: 1_700_000_000)
    }

    static func checkURL(_ bytes: [UInt8]) throws {
        // A message has URLs of one line.
        guard !bytes.contains(where: isLineBreak), let text = String(input: bytes),
            let parts = try? GitAddressParts(text)
        else { return }
        for part in [parts.host, parts.path, parts.username, parts.password] {
            try require(
                part.map { !$0.utf8.contains(where: isLineBreak) } ?? true,
                "a part is one line"
            )
        }
        try require(
            !text.contains("%") || parts.host.utf8.count <= text.utf8.count,
            "a host is no longer than the URL"
        )
        guard !text.utf8.contains(UInt8(ascii: "%")), !text.utf8.contains(UInt8(ascii: "@")) else { return }
        if let message = try? GitCredentialMessage(SecretBytes("url=" + text)) {
            try requireEqual(message.host, parts.host, "a message has the parts of its URL")
        }
        guard let address = try? GitAddress(text) else { return }
        let again = try requireSuccess("a printed address parses") { () throws(KeychainError) in
            try GitAddress(address.text)
        }
        try requireEqual(again.text, address.text, "an address prints in one way")
    }
}
