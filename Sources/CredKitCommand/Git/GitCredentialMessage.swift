// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// A message between git and a credential helper: attributes, one per line (git-credential(1)).
struct GitCredentialMessage {
    var protocolName: String?
    /// The host, with the port if there is one.
    var host: String?
    var path: String?
    var username: String?
    var password: SecretBytes?
    /// Seconds since 1970.
    var expiry: Int64?
    var refreshToken: SecretBytes?
    var authenticationType: String?
    /// A credential in the encoding that the server expects, in place of a password.
    var encodedCredential: SecretBytes?
    var isEphemeral = false
    var capabilities: Set<String> = []

    /// Reads a message, up to an empty line or the end.
    ///
    /// - Throws: ``CommandFailure`` when the message is malformed: a line without `=`, a carriage return, a NUL, text
    ///   that is not UTF-8, a protocol or host that would pass for another part of an address.
    init(_ message: SecretBytes) throws {
        for line in try message.lines() {
            if line.isEmpty { break }
            let (name, value) = try Self.split(line)
            try read(name, value)
        }
        try checkAddress()
    }

    /// Whether a byte cannot be part of a value. git refuses a carriage return as well, because some helpers take it
    /// for the end of a line.
    static func isForbidden(_ byte: UInt8) -> Bool {
        byte == 0 || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
    }

    /// Items are found by the address as one text, so no part of it may contain the separator of the next one.
    private func checkAddress() throws(CommandFailure) {
        let isProtocol = (protocolName ?? "").utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || 48...57 ~= byte
                || "+-.".utf8.contains(byte)
        }
        guard isProtocol, !(host ?? "").utf8.contains(UInt8(ascii: "/")) else {
            throw CommandFailure(
                .malformed,
                "git sent a protocol or a host with characters that are invalid there"
            )
        }
    }

    private static func split(_ line: SecretBytes) throws -> (String, SecretBytes) {
        try line.withSecretBytes { bytes in
            guard let sign = bytes.indices.first(where: { bytes[$0] == UInt8(ascii: "=") }) else {
                throw CommandFailure(.malformed, "git sent a malformed line: it has no '='")
            }
            guard !bytes.indices.contains(where: { isForbidden(bytes[$0]) }) else {
                throw CommandFailure(
                    .malformed,
                    "git sent an attribute with a carriage return or a NUL, which is invalid"
                )
            }
            let name = String(decoding: (0..<sign).map { bytes[$0] }, as: UTF8.self)
            return (name, try SecretBytes(copying: bytes.extracting((sign + 1)...)))
        }
    }

    private mutating func read(_ name: String, _ value: SecretBytes) throws {
        switch name {
        case "protocol": protocolName = try Self.text(value)
        case "host": host = try Self.text(value)
        case "path": path = try Self.text(value)
        case "username": username = try Self.text(value)
        case "password": password = value
        case "url":
            let address = try GitAddressParts(Self.text(value))
            (protocolName, host, path) = (address.protocolName, address.host, address.path)
            username = address.username
            password = try address.password.map { try SecretBytes($0) }
        case "password_expiry_utc": expiry = try Int64(Self.text(value))
        case "oauth_refresh_token": refreshToken = value
        case "authtype": authenticationType = try Self.text(value)
        case "credential": encodedCredential = value
        case "ephemeral":
            isEphemeral = try ["1", "true", "yes", "on"].contains(Self.text(value).lowercased())
        case "capability[]":
            let capability = try Self.text(value)
            // An empty value clears the capabilities before it.
            if capability.isEmpty { capabilities = [] } else { capabilities.insert(capability) }
        default: break  // git-credential(1) requires this: later versions of git have more.
        }
    }

    private static func text(_ value: SecretBytes) throws -> String {
        let bytes = value.heapCopy
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw CommandFailure(.malformed, "git sent an attribute that is not UTF-8")
        }
        return text
    }

    /// The address that items are stored under: the URL without the user.
    var address: String? {
        guard let protocolName, !protocolName.isEmpty, host != nil || path != nil else { return nil }
        let path = path ?? ""
        return "\(protocolName)://\(host ?? "")" + (path.isEmpty ? "" : "/\(path)")
    }

    /// Returns whether an item's address equals the address of this message or, if the message has no path, lies below.
    /// The bytes are compared: for strings, a Kelvin sign equals a K.
    func matches(address other: String) -> Bool {
        guard let address else { return false }
        return other.utf8.elementsEqual(address.utf8)
            || ((path ?? "").isEmpty && other.utf8.starts(with: "\(address)/".utf8))
    }

    /// Returns whether an item's account is the user of this message, if the message names one.
    func matches(account: String?) -> Bool {
        guard let username else { return true }
        return account?.utf8.elementsEqual(username.utf8) ?? false
    }
}
