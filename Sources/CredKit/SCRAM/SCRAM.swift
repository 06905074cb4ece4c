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
/// let keys = try SCRAM.ClientKeys(password: "correct horse", for: challenge)     // takes 0.2 s
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
