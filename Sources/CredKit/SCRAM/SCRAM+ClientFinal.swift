// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The last message of a client, and the server's answer that it expects.
    public struct ClientFinal: Sendable {
        /// The message. It proves once that the client knows the password.
        public let message: String

        let serverSignature: [UInt8]

        /// Checks the server's answer. Until this returns, nothing tells that the other side is the server.
        ///
        /// - Parameter answer: The server's last message, at most 8,192 bytes of UTF-8.
        /// - Throws: ``SCRAM/Error/rejected`` if the server rejects the login; ``SCRAM/Error/serverNotAuthenticated`` if
        ///   it accepts without proving that it knows the verifier; ``SCRAM/Error/malformedMessage``,
        ///   ``SCRAM/Error/unsupported``, ``SCRAM/Error/overLimit``.
        public func check(_ answer: some Collection<UInt8>) throws(SCRAM.Error) {
            try check(SCRAM.text(of: answer))
        }

        /// Checks the server's answer.
        ///
        /// - Parameter answer: The server's last message.
        /// - Throws: As for ``check(_:)-(Collection<UInt8>)``.
        public func check(_ answer: String) throws(SCRAM.Error) {
            var attributes = try Attributes(answer[...])
            if let reason = attributes.optional("e") {
                guard !reason.isEmpty else { throw .malformedMessage("the attribute 'e' is empty") }
                try attributes.end(except: ["e", "v"])
                // The server's words are for its own log: an attacker may have written them.
                throw reason.elementsEqual("channel-bindings-dont-match".utf8)
                    ? .channelBindingFailed(
                        "the server has another connection or certificate than this client"
                    )
                    : .rejected
            }
            let signature: [UInt8]
            do throws(SCRAM.Error) {
                signature = try attributes.bytes("v")
                try attributes.end(except: ["e", "v", "r", "s", "i", "p", "c", "n"])
            } catch {
                throw .serverNotAuthenticated
            }
            guard ConstantTime.areEqual(signature, serverSignature) else { throw .serverNotAuthenticated }
        }
    }
}

extension SCRAM.ClientFinal: CustomStringConvertible, CustomReflectable {
    /// `‹client-final›`, without its content.
    public var description: String { "‹client-final›" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
