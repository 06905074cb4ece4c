// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The client's half of one login. Use each value for one login only.
    ///
    /// ```swift
    /// let client = try SCRAM.Client(username: "alice")
    /// // send client.firstMessage, receive the server's first message
    /// let challenge = try client.challenge(from: serverFirst)
    /// let keys = try SCRAM.ClientKeys(password: password, for: challenge)
    /// let final = try client.finalMessage(for: challenge, keys: keys)
    /// // send final.message, receive the server's last message
    /// try final.check(serverFinal)                         // only now the login has succeeded
    /// ```
    public struct Client: Sendable {
        /// The mechanism.
        public let mechanism: Mechanism

        /// What the first message says of channel binding.
        public let binding: BindingRequest

        /// The numbers of iterations that are accepted: fewer reveal the password too cheaply, more cost this computer too
        /// much.
        public let acceptedIterations: ClosedRange<Int>

        let nonce: String
        private let header: String
        private let bare: String

        /// Creates the client of one login, with a new nonce.
        ///
        /// - Parameters:
        ///   - username: The user name, 1 to 1,024 bytes.
        ///   - mechanism: The mechanism.
        ///   - binding: What to say of channel binding; ``BindingRequest/bound(_:)`` if, and only if, the mechanism is one with
        ///     channel binding.
        ///   - acceptedIterations: The accepted numbers of iterations, at least 1.
        ///   - usernamePreparation: The preparation of the user name, as RFC 5802 requires it; `nil` for none, as with
        ///     MongoDB.
        /// - Throws: ``SCRAM/Error/textNotAllowed`` for the user name, ``SCRAM/Error/overLimit``,
        ///   ``SCRAM/Error/channelBindingFailed`` if mechanism and binding do not match, ``SCRAM/Error/unsupported`` for
        ///   SHA-1.
        public init(
            username: String,
            mechanism: Mechanism = .sha256,
            binding: BindingRequest = .unsupported,
            acceptedIterations: ClosedRange<Int> = Iterations.minimumCount...Iterations.recommended.count,
            usernamePreparation: Preparation? = .rfc4013
        ) throws(SCRAM.Error) {
            try self.init(
                username: username,
                mechanism: mechanism,
                binding: binding,
                acceptedIterations: acceptedIterations,
                usernamePreparation: usernamePreparation,
                nonce: Base64.standard.encode(SecureRandom.bytes(count: 18))
            )
        }

        /// Creates a client with a certain nonce, for vectors.
        package init(
            username: String,
            mechanism: Mechanism,
            binding: BindingRequest,
            acceptedIterations: ClosedRange<Int>,
            usernamePreparation: Preparation?,
            nonce: String
        ) throws(SCRAM.Error) {
            var flag = "n"
            switch binding {
            case .unsupported: break
            case .notOffered: flag = "y"
            case .bound(let kind): flag = "p=\(kind.rawValue)"
            }
            guard mechanism.hasChannelBinding == flag.hasPrefix("p") else {
                throw .channelBindingFailed(
                    "the mechanism \(mechanism) does not match what is said of channel binding"
                )
            }
            var name = username
            if let prepared = try usernamePreparation?.apply(to: username.utf8Span.span) {
                name = String(decoding: prepared.copiedBytes, as: UTF8.self)
            }
            guard 1...1024 ~= name.utf8.count, !name.utf8.contains(0) else {
                throw .overLimit("a user name has 1 to 1,024 bytes, none of them NUL")
            }
            self.mechanism = mechanism
            self.binding = binding
            self.acceptedIterations = acceptedIterations
            self.nonce = nonce
            header = "\(flag),,"
            bare = "n=\(ClientFirst.escaped(name)),r=\(nonce)"
        }

        /// The first message.
        public var firstMessage: String { header + bare }

        /// Reads the server's first message.
        ///
        /// - Parameter message: The message, at most 8,192 bytes of UTF-8.
        /// - Returns: The challenge.
        /// - Throws: ``SCRAM/Error/malformedMessage``, ``SCRAM/Error/foreignNonce``,
        ///   ``SCRAM/Error/iterationsRefused``, ``SCRAM/Error/unsupported``, ``SCRAM/Error/overLimit``;
        ///   ``SCRAM/Error/rejected`` if the server answers with an error.
        public func challenge(from message: some Collection<UInt8>) throws(SCRAM.Error) -> Challenge {
            try challenge(from: SCRAM.text(of: message))
        }

        /// Reads the server's first message.
        ///
        /// - Parameter message: The message.
        /// - Returns: The challenge.
        /// - Throws: As for ``challenge(from:)-(Collection<UInt8>)``.
        public func challenge(from message: String) throws(SCRAM.Error) -> Challenge {
            if message.hasPrefix("e=") { throw .rejected }
            return try Challenge(message, of: self)
        }

        /// Returns the last message.
        ///
        /// - Parameters:
        ///   - challenge: The challenge of the server.
        ///   - keys: The keys for this challenge.
        ///   - binding: The binding to the connection that will carry the message, of the kind that the first message names;
        ///     `nil` without channel binding.
        /// - Returns: The message, and what the server must answer.
        /// - Throws: ``SCRAM/Error/otherKeys``, ``SCRAM/Error/channelBindingFailed``, ``SCRAM/Error/outOfMemory``.
        public func finalMessage(
            for challenge: Challenge,
            keys: ClientKeys,
            binding: ChannelBinding? = nil
        ) throws(SCRAM.Error) -> ClientFinal {
            guard keys.areUsable(for: challenge) else { throw .otherKeys }
            guard challenge.nonce.utf8.starts(with: nonce.utf8) else { throw .foreignNonce }
            if case .bound(let kind) = self.binding {
                guard let binding, binding.kind == kind, !binding.value.isEmpty else {
                    throw .channelBindingFailed("there is no value of the kind \(kind.rawValue)")
                }
            } else if binding != nil {
                throw .channelBindingFailed("the first message did not name a kind of channel binding")
            }
            let input = Array(header.utf8) + (binding?.value ?? [])
            let withoutProof = "c=\(Base64.standard.encode(input)),r=\(challenge.nonce)"
            let signed = Array("\(bare),\(challenge.message),\(withoutProof)".utf8)
            let hashFunction = challenge.hashFunction
            let proof = keys.clientKey.withSecretBytes { clientKey in
                let storedKey = hashFunction.hash(clientKey)
                let signature = hashFunction.authenticationCode(for: signed, key: storedKey.span)
                return clientKey.indices.map { clientKey[$0] ^ signature[$0] }
            }
            return ClientFinal(
                message: "\(withoutProof),p=\(Base64.standard.encode(proof))",
                serverSignature: keys.serverKey.withSecretBytes {
                    hashFunction.authenticationCode(for: signed, key: $0)
                }
            )
        }
    }
}

extension SCRAM.Client: CustomStringConvertible, CustomReflectable {
    /// `‹SCRAM client›`, without its content.
    public var description: String { "‹SCRAM client›" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
