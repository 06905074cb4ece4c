// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// A passkey as options name it.
    public struct CredentialDescriptor: Sendable, Hashable {
        /// The identifier of the passkey.
        public let id: [UInt8]

        /// How the browser reaches the authenticator; empty if that is not known.
        public let transports: [String]

        /// Names a passkey.
        ///
        /// - Parameters:
        ///   - id: The identifier of the passkey.
        ///   - transports: How the browser reaches the authenticator; empty if that is not known.
        public init(id: [UInt8], transports: [String] = []) {
            self.id = id
            self.transports = transports
        }

        var json: StrictJSON {
            var members: [String: StrictJSON] = [
                "type": .string("public-key"), "id": .string(Base64.urlSafe.unpadded.encode(id)),
            ]
            if !transports.isEmpty { members["transports"] = .array(transports.map { .string($0) }) }
            return .object(members)
        }
    }
}
