// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The first message of a server, as a client receives it: `r=nonce,s=salt,i=600000`.
    public struct Challenge: Sendable, Hashable {
        /// The hash function of the login.
        public let hashFunction: HashFunction

        /// The salt.
        public let salt: [UInt8]

        /// The number of iterations, within the client's limits.
        public let iterations: Int

        /// What the password of the verifier is made of, if the server says it.
        public let subject: VerifierSubject?

        /// The client's nonce with the server's appended.
        let nonce: String

        /// The message, which is part of what both sides sign.
        let message: String

        init(_ message: String, of client: Client) throws(SCRAM.Error) {
            self.message = message
            hashFunction = client.mechanism.hashFunction
            var attributes = try Attributes(message[...])
            nonce = try attributes.nonce()
            // A server that adds nothing would repeat one login for everyone who replays it.
            guard nonce.utf8.starts(with: client.nonce.utf8), nonce.utf8.count > client.nonce.utf8.count
            else {
                throw .foreignNonce
            }
            salt = try attributes.bytes("s")
            guard salt.count <= 1024 else { throw .overLimit("the salt is longer than 1,024 bytes") }
            let digits = try attributes.next("i")
            guard digits.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else {
                throw .malformedMessage("the number of iterations is not decimal")
            }
            guard let iterations = positiveNumber(digits), client.acceptedIterations.contains(iterations)
            else {
                throw .init(
                    .iterationsRefused,
                    message: "the server asks for a number of iterations outside the accepted range, from "
                        + "\(client.acceptedIterations.lowerBound) to \(client.acceptedIterations.upperBound)"
                )
            }
            self.iterations = iterations
            subject = try attributes.optional(VerifierSubject.attribute).map { (value) throws(SCRAM.Error) in
                guard let subject = VerifierSubject(rawValue: String(Substring(value))) else {
                    throw .unsupported("the server's verifier is of an unknown subject")
                }
                return subject
            }
            try attributes.end(except: ["r", "s", "i", "n", "p", "c", "v", "e"])
        }
    }

    /// What a verifier was made of, in tables that hold both kinds.
    ///
    /// A server tells it in an optional attribute of its first message (`f=`), which other clients ignore.
    public enum VerifierSubject: String, Sendable, Hashable {
        /// The password itself.
        case password = "p"
        /// The hexadecimal digits of the password-equivalent of a timestamped login
        /// (``Legacy/TimestampedLogin/passwordEquivalent(for:)``): the verifier was made without the password.
        case passwordEquivalent = "e"

        static let attribute: Unicode.Scalar = "f"
    }
}
