// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// What all servers that share their state in Redis or PostgreSQL must agree on, and how long one of them waits for it.
///
/// ```swift
/// let configuration = try SharedStateConfiguration(key: secretOfAllServers)
/// ```
public struct SharedStateConfiguration: Sendable {
    /// The fewest bytes of a key.
    static let minimumKeyByteCount = 32

    /// The secret of all servers under which names are stored, at least 32 bytes.
    let key: SecretBytes

    /// What names in the engine begin with, so that several services can share it: letters, digits and `_`, at most 32
    /// characters. In PostgreSQL it is the schema of the tables.
    public let namespace: String

    /// How far the clocks of a server and of the engine may differ, from 1 to 30 seconds. A server whose clock may differ more
    /// accepts no login. After a failover or a restart of the engine, logins fail this much longer, since a proof may be older than
    /// its server could know. Default: 5 seconds.
    public let permittedClockDifference: Duration

    /// How long a request may wait for the engine in all, from 10 milliseconds to 10 seconds: see ``EngineBudget``. Default: 300
    /// milliseconds.
    public let timeLimit: Duration

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - key: The secret of all servers, at least 32 random bytes. With another key, a server finds nothing of what the others
    ///     have stored. Without it, a reader of the engine cannot tell which accounts and addresses are in it, except for the
    ///     user names of sessions.
    ///   - namespace: What names in the engine begin with: letters, digits and `_`, from 1 to 32 characters, the first one a
    ///     letter. Default: `credkit`.
    ///   - permittedClockDifference: How far the clocks of a server and of the engine may differ, from 1 to 30 seconds.
    ///   - timeLimit: How long a request may wait for the engine in all, from 10 milliseconds to 10 seconds.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public init(
        key: some SecretInput,
        namespace: String = "credkit",
        permittedClockDifference: Duration = .seconds(5),
        timeLimit: Duration = .milliseconds(300)
    ) throws(LoginServerError) {
        do throws(SecretMemoryError) {
            self.key = try SecretBytes(key)
        } catch {
            throw .outOfMemory
        }
        try LoginServerError.check(
            "the number of bytes of the key of the shared state",
            self.key.count,
            in: Self.minimumKeyByteCount...1 << 16
        )
        guard Self.isNamespace(namespace) else {
            throw LoginServerError(
                .invalidConfiguration,
                message:
                    "a namespace has 1 to 32 ASCII letters, digits and '_', begins with a letter, and is not 'public', "
                    + "'information_schema' or a name that begins with 'pg_'"
            )
        }
        try LoginServerError.check(
            "the permitted difference of clocks",
            permittedClockDifference,
            in: .seconds(1) ... .seconds(30)
        )
        try LoginServerError.check("the time limit", timeLimit, in: .milliseconds(10) ... .seconds(10))
        self.namespace = namespace
        self.permittedClockDifference = permittedClockDifference
        self.timeLimit = timeLimit
    }

    /// Returns a key of 32 bytes for a purpose, the same for all servers.
    ///
    /// - Parameter purpose: The purpose, such as `login challenges`.
    /// - Returns: The key.
    /// - Throws: ``LoginServerError/outOfMemory``.
    public func derivedKey(for purpose: String) throws(LoginServerError) -> SecretBytes {
        do {
            return try HKDF.deriveKey(
                from: key,
                salt: Array("credkit shared state 1".utf8),
                info: Array(purpose.utf8),
                count: 32
            )
        } catch {
            throw .outOfMemory
        }
    }

    private static func isNamespace(_ text: String) -> Bool {
        guard (1...32).contains(text.utf8.count), let first = text.first else { return false }
        // Schemas of PostgreSQL, which other programs use.
        guard text != "public", text != "information_schema", !text.hasPrefix("pg_") else { return false }
        return first.isASCII && first.isLetter
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }
}

/// The names under which an engine stores keys: HMAC-SHA-256 under the servers' secret, so that a reader of the engine can
/// neither guess accounts and addresses nor find them by name. Names of different kinds differ.
struct StoredNames: Sendable {
    /// What is stored under a name.
    enum Kind: String {
        case replay, replayAccount, rate, client, challenge, session, user, counter
    }

    private let key: HMAC<SHA256>.Key

    init(_ configuration: SharedStateConfiguration) {
        key = HMAC<SHA256>.Key(configuration.key)
    }

    /// Returns the name of a key: 32 bytes.
    func name(_ kind: Kind, _ key: StoreKey) -> [UInt8] { code(kind, key.bytes) }

    /// Returns the name of a text, such as a user: 32 bytes.
    func name(_ kind: Kind, _ text: String) -> [UInt8] { code(kind, StoreKey(text).bytes) }

    private func code(_ kind: Kind, _ digest: [UInt8]) -> [UInt8] {
        let message = Array("credkit \(kind.rawValue) 1\0".utf8) + digest
        return HMAC<SHA256>.authenticationCode(for: message.span, using: key).bytes
    }
}
