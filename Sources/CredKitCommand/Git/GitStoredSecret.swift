// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// What is kept for git, in the lines that git-credential-libsecret writes too: the password, then
/// `password_expiry_utc=…` and `oauth_refresh_token=…`; with `authtype=…` and `credential=…` of our own.
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

    /// The lines for what git wants to be stored; `nil` if there is no credential in it.
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
