// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The server's half of one login.
    ///
    /// ```swift
    /// let first = try SCRAM.ClientFirst(message)
    /// let verifier = table[first.username] ?? mocks.verifier(for: first.username).verifier
    /// let server = try SCRAM.Server(clientFirst: first, verifier: verifier)
    /// // send server.firstMessage, receive the client's last message
    /// switch try server.verify(clientFinal) {
    /// case .accepted(let answer): …                         // send the answer: it proves the server
    /// case .rejected(let answer): …
    /// }
    /// ```
    ///
    /// A server that keeps nothing between the two messages stores both first messages in an encrypted token of the client,
    /// and creates the value again with ``init(resuming:serverFirst:verifier:offer:)``. It must then refuse a nonce that it
    /// has seen: ``nonce``.
    public struct Server: Sendable {
        /// The kinds of channel binding that a server has offered, and whether a login must have one.
        public struct BindingOffer: Sendable, Hashable {
            /// The bindings of the connection; empty for none.
            public var bindings: [ChannelBinding]

            /// Whether a login without channel binding is refused.
            public var isRequired: Bool

            /// No channel binding.
            public static let none = Self()

            /// Creates an offer.
            ///
            /// - Parameters:
            ///   - bindings: The bindings of the connection; empty for none.
            ///   - isRequired: Whether a login without channel binding is refused.
            public init(_ bindings: [ChannelBinding] = [], isRequired: Bool = false) {
                self.bindings = bindings
                self.isRequired = isRequired
            }
        }

        /// The verdict about a login.
        public enum Verdict: Sendable, Hashable {
            /// The client knows the password.
            ///
            /// - Parameter answer: The server's last message, which proves that the server knows the verifier.
            case accepted(answer: String)
            /// The proof is wrong.
            ///
            /// - Parameter answer: The server's last message, equal for all reasons.
            case rejected(answer: String)
        }

        /// The first message.
        public let firstMessage: String

        /// The nonce of the login, which both sides have chosen. A server accepts each one once.
        public let nonce: String

        private let clientFirst: ClientFirst
        private let verifier: Verifier
        private let offer: BindingOffer

        /// Creates the server of one login, with a new nonce. What the client says of channel binding is compared with
        /// the offer; a list of mechanisms that was changed on the way is noticed here.
        ///
        /// The caller checks that it agrees with the name of the mechanism, `-PLUS` or not, as `SCRAMMechanism` of
        /// CredKitServer does.
        ///
        /// - Parameters:
        ///   - clientFirst: The first message of the client.
        ///   - verifier: The verifier of the user; that of ``MockVerifiers`` for a user who does not exist.
        ///   - subject: What the verifier was made of, to tell the client; `nil` to say nothing.
        ///   - offer: The channel bindings of the connection.
        /// - Throws: ``SCRAM/Error/channelBindingFailed`` if the client's request does not match the offer,
        ///   ``SCRAM/Error/unsupported`` for a verifier of SHA-1.
        public init(
            clientFirst: ClientFirst,
            verifier: Verifier,
            subject: VerifierSubject? = nil,
            offer: BindingOffer = .none
        ) throws(SCRAM.Error) {
            try self.init(
                clientFirst: clientFirst,
                verifier: verifier,
                subject: subject,
                offer: offer,
                nonce: Base64.standard.encode(SecureRandom.bytes(count: 18))
            )
        }

        /// Creates a server whose part of the nonce is given, for vectors.
        package init(
            clientFirst: ClientFirst,
            verifier: Verifier,
            subject: VerifierSubject?,
            offer: BindingOffer,
            nonce: String
        ) throws(SCRAM.Error) {
            let both = clientFirst.nonce + nonce
            let salt = Base64.standard.encode(verifier.salt)
            let extra = subject.map { ",\(VerifierSubject.attribute)=\($0.rawValue)" } ?? ""
            try self.init(
                clientFirst,
                firstMessage: "r=\(both),s=\(salt),i=\(verifier.iterations)\(extra)",
                nonce: both,
                verifier,
                offer
            )
        }

        /// Continues a login whose first messages the server has sent and received, perhaps in another process.
        ///
        /// - Parameters:
        ///   - clientFirst: The first message of the client.
        ///   - serverFirst: The first message of the server. It must be authentic: this server's own.
        ///   - verifier: The verifier of the user, or the one of ``MockVerifiers``.
        ///   - offer: The channel bindings of the connection.
        /// - Throws: ``SCRAM/Error/malformedMessage``, ``SCRAM/Error/foreignNonce``,
        ///   ``SCRAM/Error/channelBindingFailed``, ``SCRAM/Error/unsupported``.
        public init(
            resuming clientFirst: ClientFirst,
            serverFirst: String,
            verifier: Verifier,
            offer: BindingOffer = .none
        ) throws(SCRAM.Error) {
            var attributes = try Attributes(serverFirst[...])
            let nonce = try attributes.nonce()
            guard nonce.utf8.starts(with: clientFirst.nonce.utf8),
                nonce.utf8.count > clientFirst.nonce.utf8.count
            else { throw .foreignNonce }
            try self.init(clientFirst, firstMessage: serverFirst, nonce: nonce, verifier, offer)
        }

        private init(
            _ clientFirst: ClientFirst,
            firstMessage: String,
            nonce: String,
            _ verifier: Verifier,
            _ offer: BindingOffer
        ) throws(SCRAM.Error) {
            guard verifier.hashFunction != .sha1 else { throw .unsupported("no login uses SHA-1") }
            switch clientFirst.binding {
            case .unsupported, .notOffered:
                guard !offer.isRequired else {
                    throw .channelBindingFailed("the server requires channel binding")
                }
                guard clientFirst.binding == .unsupported || offer.bindings.isEmpty else {
                    throw .channelBindingFailed(
                        "the client was told that the server has no channel binding: its list of mechanisms was changed"
                    )
                }
            case .bound(let kind):
                guard offer.bindings.contains(where: { $0.kind == kind && !$0.value.isEmpty }) else {
                    throw .channelBindingFailed(
                        "the server has no channel binding of the kind \(kind.rawValue)"
                    )
                }
            }
            self.clientFirst = clientFirst
            self.firstMessage = firstMessage
            self.nonce = nonce
            self.verifier = verifier
            self.offer = offer
        }

        /// Verifies the last message of the client.
        ///
        /// - Parameter message: The message, at most 8,192 bytes of UTF-8.
        /// - Returns: The verdict.
        /// - Throws: ``SCRAM/Error/malformedMessage``, ``SCRAM/Error/overLimit``, ``SCRAM/Error/unsupported``,
        ///   ``SCRAM/Error/foreignNonce`` if the message belongs to another login, ``SCRAM/Error/channelBindingFailed`` if
        ///   it is bound to another connection. Answer with ``SCRAM/Error/serverMessage``.
        public func verify(_ message: some Collection<UInt8>) throws(SCRAM.Error) -> Verdict {
            try verify(SCRAM.text(of: message))
        }

        /// Verifies the last message of the client.
        ///
        /// - Parameter message: The message.
        /// - Returns: The verdict.
        /// - Throws: As for ``verify(_:)-(Collection<UInt8>)``.
        public func verify(_ message: String) throws(SCRAM.Error) -> Verdict {
            var attributes = try Attributes(message[...])
            let input = try attributes.bytes("c")
            let nonce = try attributes.nonce()
            let proof = try attributes.last("p")
            try attributes.end(except: ["c", "r", "p", "n", "s", "i", "v", "e"])
            guard ConstantTime.areEqual(nonce.utf8, self.nonce.utf8) else { throw .foreignNonce }
            try checkBinding(input)
            // The proof is the last attribute, so that everything before it is signed.
            guard let end = message.utf8.lastIndex(of: UInt8(ascii: ",")) else { throw .malformedMessage }
            let signed = Array("\(clientFirst.bare),\(firstMessage),\(message[..<end])".utf8)
            let hashFunction = verifier.hashFunction
            guard proof.count == hashFunction.digestByteCount else {
                throw .malformedMessage("the proof does not have \(hashFunction.digestByteCount) bytes")
            }
            var clientKey = hashFunction.authenticationCode(for: signed, key: verifier.storedKey.span)
            defer { unsafe clientKey.withUnsafeMutableBufferPointer { unsafe Wiping.wipe($0) } }
            for index in clientKey.indices { clientKey[index] ^= proof[index] }
            let signature = hashFunction.authenticationCode(for: signed, key: verifier.serverKey.span)
            guard ConstantTime.areEqual(hashFunction.hash(clientKey.span), verifier.storedKey) else {
                return .rejected(answer: "e=invalid-proof")
            }
            return .accepted(answer: "v=\(Base64.standard.encode(signature))")
        }

        private func checkBinding(_ input: [UInt8]) throws(SCRAM.Error) {
            var expected = Array(clientFirst.header.utf8)
            if case .bound(let kind) = clientFirst.binding {
                guard let binding = offer.bindings.first(where: { $0.kind == kind }) else {
                    throw .channelBindingFailed(
                        "the server has no channel binding of the kind \(kind.rawValue)"
                    )
                }
                expected += binding.value
            }
            guard ConstantTime.areEqual(input, expected) else {
                throw .channelBindingFailed(
                    "the login is bound to another connection, or its first message was changed"
                )
            }
        }
    }
}

extension SCRAM.Server: CustomStringConvertible, CustomReflectable {
    /// `‹SCRAM server›`, without its content.
    public var description: String { "‹SCRAM server›" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
