// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// Signs messages: a key with the components to cover.
    public struct Signer: Sendable {
        private let key: SigningKey
        private let keyID: String
        private let components: ComponentList
        private let label: String
        private let tag: String?
        private let lifetime: Duration?

        /// Creates a signer.
        ///
        /// - Parameters:
        ///   - key: The key.
        ///   - keyID: The name by which the verifier knows the key, printable ASCII; not empty.
        ///   - components: What to cover, at least one. Each signed message must have all of them.
        ///   - label: The name of the signature, which is not signed: lower-case letters, digits and `_-.*`.
        ///   - tag: What the signatures are for, printable ASCII.
        ///   - lifetime: How long a signature is valid, in whole seconds; `nil` leaves that to the verifier.
        /// - Throws: ``Error`` if there are no components or one occurs twice, a text is invalid, or the lifetime is not
        ///   positive or has a fraction of a second.
        public init(
            key: SigningKey,
            keyID: String,
            covering components: [Component],
            label: String = "sig",
            tag: String? = nil,
            lifetime: Duration? = nil
        ) throws(Error) {
            self.key = key
            self.keyID = keyID
            self.components = try Input(components, parameters: Parameters()).list
            self.label = label
            self.tag = tag
            self.lifetime = lifetime
            guard !components.isEmpty else {
                throw Error(.noComponents, "a signature must cover at least one component")
            }
            guard label.utf8.count <= maximumTextByteCount else { throw .limitExceeded("the label") }
            guard !keyID.isEmpty else { throw .invalidArgument("the name of the key is empty") }
            if let lifetime, lifetime <= .zero || lifetime.components.attoseconds != 0 {
                throw .invalidArgument("a lifetime is a positive number of whole seconds")
            }
            let example = try input(created: UnixTime(0), nonce: "n")
            _ = try Signed(label: label, input: example, signature: [])
        }

        /// Signs a message.
        ///
        /// Add both values to the message as fields; in a message that is signed already, as further lines. A signer whose
        /// label the message has already cannot sign it, because no verifier would accept either signature.
        ///
        /// - Parameters:
        ///   - message: The message.
        ///   - now: The time to sign with.
        ///   - nonce: A text that no other signature with this key has; not empty. By default it is random, with 128 bits.
        /// - Returns: The values of two fields.
        /// - Throws: ``Error`` if the message lacks a component, a value cannot be signed, or the signatures that the message
        ///   has already are malformed, have this label, or are as many as there can be.
        public func sign(
            _ message: Message,
            at now: UnixTime = .now,
            nonce: String = Base64.urlSafe.unpadded.encode(SecureRandom.bytes(count: 16))
        ) throws(Error) -> Signed {
            guard !nonce.isEmpty else { throw .invalidArgument("the nonce is empty") }
            let others = try Received.all(in: message)
            guard others.count < maximumSignatureCount else { throw .limitExceeded("signatures") }
            guard !others.contains(where: { $0.label.utf8.elementsEqual(label.utf8) }) else {
                throw .repeated("the label '\(label)'")
            }
            let input = try input(created: now, nonce: nonce)
            let base = try input.signatureBase(of: message)
            return try Signed(label: label, input: input, signature: key.sign(base.span))
        }

        private func input(created: UnixTime, nonce: String) throws(Error) -> Input {
            let parameters = Parameters(
                created: created,
                expires: lifetime.map { created + $0 },
                keyID: keyID,
                nonce: nonce,
                tag: tag
            )
            return try Input(components, validated: Parameters(parameters.values))
        }
    }

    /// A new signature, in the form of two fields.
    public struct Signed: Hashable, Sendable {
        /// The value of the field `Signature-Input`.
        public let signatureInput: String
        /// The value of the field `Signature`.
        public let signature: String

        /// Writes a signature.
        ///
        /// - Parameters:
        ///   - label: The name of the signature: lower-case letters, digits and `_-.*`.
        ///   - input: What it covers.
        ///   - signature: The signature of ``Input/signatureBase(of:)``.
        /// - Throws: ``Error`` if the label cannot be written.
        public init(label: String, input: Input, signature: [UInt8]) throws(Error) {
            let first = label.utf8.first.map(StructuredField.Characters.isKeyStart) ?? false
            guard first, label.utf8.allSatisfy(StructuredField.Characters.isKey) else {
                throw .malformedField("the label cannot be written in a field")
            }
            signatureInput = "\(label)=\(input.serialized())"
            self.signature = "\(label)=:\(Base64.standard.encode(signature)):"
        }
    }
}
