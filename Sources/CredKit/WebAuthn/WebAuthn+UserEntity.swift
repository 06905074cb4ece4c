// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// The account that a passkey is created for.
    public struct UserEntity: Sendable, Hashable {
        /// The user handle: what identifies the account to the server.
        public let id: [UInt8]

        /// The name that users tell their accounts apart by, such as an e-mail address.
        public let name: String

        /// The name for people; it may be empty.
        public let displayName: String

        /// Creates a user.
        ///
        /// - Parameters:
        ///   - id: The user handle, 1 to 64 bytes; best 32 random ones. An account keeps it forever, and it contains nothing
        ///     personal, since authenticators reveal it without asking the user.
        ///   - name: The name that users tell their accounts apart by.
        ///   - displayName: The name for people; it may be empty.
        /// - Throws: ``Error``, with the code `invalidArgument`, if the handle has more or fewer bytes.
        public init(id: [UInt8], name: String, displayName: String) throws(Error) {
            guard userHandleByteCounts.contains(id.count) else {
                throw .invalidArgument("a user handle has 1 to 64 bytes, not \(id.count)")
            }
            self.id = id
            self.name = name
            self.displayName = displayName
        }
    }
}
