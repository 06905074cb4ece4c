// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Logins by challenge and response, in which the password is not sent and the server proves itself too: SCRAM-SHA-256
/// ([RFC 5802](https://www.rfc-editor.org/rfc/rfc5802), [RFC 7677](https://www.rfc-editor.org/rfc/rfc7677)), SCRAM-SHA-512,
/// and both with channel binding (`-PLUS`).
///
/// ```swift
/// let verifier = try SCRAM.Verifier(password: "correct horse")          // what the server stores
/// print(verifier.text())                                                // SCRAM-SHA-256$600000:…, as PostgreSQL stores it
///
/// let client = try SCRAM.Client(username: "alice")                      // sends client.firstMessage
/// let server = try SCRAM.Server(clientFirst: .init(client.firstMessage), verifier: verifier)
/// let challenge = try client.challenge(from: server.firstMessage)
/// let keys = try SCRAM.ClientKeys(password: "correct horse", for: challenge)     // takes 0.04 to 0.2 s
/// let final = try client.finalMessage(for: challenge, keys: keys)
/// if case .accepted(let answer) = try server.verify(final.message) { try final.check(answer) }
/// ```
///
/// Nothing here does I/O: messages are text, and a server can forget everything between two messages.
///
/// > Important: For a form over TLS, Argon2id is the better choice (``PasswordContext``). To a thief of the table, a SCRAM
/// > verifier is PBKDF2, which graphics cards compute fast. Use SCRAM where the password must not be sent, where a protocol
/// > requires it, or to end a table of password-equivalents without a reset of passwords.
public enum SCRAM {}

extension SCRAM {
    /// The number of iterations of a new verifier: the cost of each guess for a thief of the table, and of each login for the
    /// client. The server's cost does not depend on it.
    public struct Iterations: Sendable, Hashable {
        /// The number.
        public let count: Int

        /// 600,000, as OWASP recommends for PBKDF2-HMAC-SHA256: 0.04 to 0.2 s at the client.
        public static let recommended = Self(count: 600_000)

        /// The smallest number that a client accepts (RFC 7677, section 4).
        public static let minimumCount = 4096

        /// Fewer iterations than recommended, for clients that refuse so many. An attacker guesses as many times faster.
        ///
        /// - Parameter count: The number, from 4,096 to 600,000.
        /// - Returns: The number of iterations.
        /// - Throws: ``SCRAM/Error/overLimit``.
        public static func fewer(_ count: Int) throws(SCRAM.Error) -> Self {
            guard minimumCount...recommended.count ~= count else {
                throw .overLimit("the number of iterations must be from 4,096 to 600,000")
            }
            return Self(count: count)
        }

        private init(count: Int) { self.count = count }
    }
}
