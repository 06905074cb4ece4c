// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What the server has stored of a user for a ``ServerLoginMechanism`` of your own, in a form that only the mechanism
/// reads. It prints without its content.
public struct MechanismCredential: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The stored text.
    public let text: String

    /// Creates a credential.
    ///
    /// - Parameter text: The stored text.
    public init(_ text: String) {
        self.text = text
    }

    /// `‹credential›`, never the text.
    public var description: String { "‹credential›" }

    /// A mirror without children: dumping a credential reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
