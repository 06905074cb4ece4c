// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A passkey of an account, as a ``PasskeyStore`` keeps it. Nothing in it is secret.
public struct PasskeyCredential: Sendable, Hashable {
    /// The name of the account in the server's table.
    public let account: String

    /// The identifier, the public key, and what the last login has shown.
    public var record: WebAuthn.CredentialRecord

    /// The name by which the user tells passkeys apart.
    public var name: String

    /// The time of the enrolment.
    public let created: UnixTime

    /// The time of the last login; `nil` if there was none.
    public var lastUse: UnixTime?

    /// Creates a passkey, from what was stored or for a store.
    ///
    /// - Parameters:
    ///   - account: The name of the account in the server's table.
    ///   - record: The identifier, the public key, and what the last login has shown.
    ///   - name: The name by which the user tells passkeys apart: see ``name(from:)``.
    ///   - created: The time of the enrolment.
    ///   - lastUse: The time of the last login; `nil` if there was none.
    public init(
        account: String,
        record: WebAuthn.CredentialRecord,
        name: String,
        created: UnixTime,
        lastUse: UnixTime? = nil
    ) {
        self.account = account
        self.record = record
        self.name = name
        self.created = created
        self.lastUse = lastUse
    }

    /// The identifier, 1 to 1,023 bytes, which no two passkeys have.
    public var id: [UInt8] { record.id }

    /// How the browser reaches the authenticator.
    public var transports: [String] { record.transports }

    /// What stands for the passkey in logs: 16 hexadecimal digits of a SHA-256 of its identifier.
    public var reference: String { Self.reference(of: id) }

    static func reference(of id: [UInt8]) -> String {
        String(StoreKey("passkey", Base64.urlSafe.unpadded.encode(id)).hex.prefix(16))
    }

    /// Returns a name that can be stored and shown: the text without control characters, invisible characters and spaces
    /// around it, at most 64 characters and 256 bytes; `Passkey` if nothing is left.
    ///
    /// - Parameter text: What the user typed, which may be any text.
    /// - Returns: The name.
    public static func name(from text: String) -> String {
        var shown = ""
        for scalar in text.unicodeScalars.prefix(1_024) {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: continue
            default: shown.unicodeScalars.append(scalar)
            }
        }
        var name = String(shown.drop { $0.isWhitespace }.prefix(64))
        while name.utf8.count > 256 || name.last?.isWhitespace == true { name.removeLast() }
        return name.isEmpty ? "Passkey" : name
    }

    /// Whether this is the same passkey of the same account; its counter, flags and times may differ.
    func isSame(as other: PasskeyCredential) -> Bool {
        id == other.id && record.publicKey == other.record.publicKey
            && record.userHandle == other.record.userHandle
            && account.utf8.elementsEqual(other.account.utf8)
    }
}
