// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// A secret that is stored for git, in the line format of git-credential-libsecret: the password, then
/// `password_expiry_utc=…` and `oauth_refresh_token=…`. CredKit adds `authtype=…` and `credential=…`.
struct GitStoredSecret {
    let password: SecretBytes
    private(set) var expiry: Int64?
    private(set) var refreshToken: SecretBytes?
    private(set) var authenticationType: String?
    private(set) var encodedCredential: SecretBytes?

    init(_ secret: SecretBytes) throws {
        let lines = try secret.lines()
        password = try lines.first ?? SecretBytes([UInt8]())
        for line in lines.dropFirst() {
            if let value = try line.value(of: "password_expiry_utc") {
                expiry = Int64(String(decoding: value.heapCopy, as: UTF8.self))
            } else if let value = try line.value(of: "oauth_refresh_token") {
                refreshToken = value
            } else if let value = try line.value(of: "authtype") {
                authenticationType = String(decoding: value.heapCopy, as: UTF8.self)
            } else if let value = try line.value(of: "credential") {
                encodedCredential = value
            }
        }
    }

    func isExpired(at now: Int64) -> Bool { expiry.map { $0 <= now } ?? false }

    /// Returns the lines to store for a message of git, or `nil` if the message has no credential.
    static func encode(_ message: GitCredentialMessage) throws -> SecretBytes? {
        var lines: [(name: String, value: SecretBytes)] = []
        if let password = message.password {
            lines.append(("", password))
        } else if message.encodedCredential != nil, message.authenticationType != nil {
            lines.append(("", try SecretBytes([UInt8]())))
        } else {
            return nil
        }
        if let expiry = message.expiry {
            lines.append(("\npassword_expiry_utc=", try SecretBytes(String(expiry))))
        }
        if let token = message.refreshToken { lines.append(("\noauth_refresh_token=", token)) }
        if let type = message.authenticationType, let credential = message.encodedCredential {
            lines.append(("\nauthtype=", try SecretBytes(type)))
            lines.append(("\ncredential=", credential))
        }
        return try SecretBytes(joining: lines)
    }
}
