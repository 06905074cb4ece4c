// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The reason why a keychain operation failed.
///
/// A missing item is not an error: a query for it returns `nil`. An error means that a query could not be answered, or
/// that a change was not made.
///
/// Two errors are equal when their codes are equal, so that they can be caught by name:
///
/// ```swift
/// do {
///     password = try await keychain.password(service: "com.example.app", account: "alice")
/// } catch .locked {
///     …
/// } catch where error.code == .timedOut {
///     log(error.message)
/// } catch {
///     …
/// }
/// ```
///
/// CredKit's own errors contain no secrets. They name services, accounts and files.
public struct KeychainError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Distinguishes errors with the same code that CredKit handles differently.
    package enum Detail: Sendable {
        /// ``Code/noPassphrase``: no source provides a passphrase or key. Without this detail, a source has failed.
        case noSource
        /// ``Code/timedOut``: the deadline of the call has passed. Without this detail, something else timed out, which
        /// the message names.
        case deadline
    }

    /// Apart from the value, so that an error is as large as a pointer and can get further properties.
    private final class Storage: Sendable {
        let code: Code
        let message: String
        let candidates: [String]
        let underlying: (any Error)?
        let detail: Detail?

        init(
            _ code: Code,
            _ message: String,
            _ candidates: [String],
            _ underlying: (any Error)?,
            _ detail: Detail?
        ) {
            self.code = code
            self.message = message
            self.candidates = candidates
            self.underlying = underlying
            self.detail = detail
        }
    }

    private let storage: Storage

    /// Creates an error, for a ``CredentialStore`` of your own, and for tests of code that handles errors.
    ///
    /// - Parameters:
    ///   - code: What went wrong.
    ///   - message: What failed, on what, why, and what to do, for people. It must contain no secret.
    ///   - candidates: The matching items, if the code is ``Code/ambiguous``.
    ///   - underlying: The error that caused this one, if there is one.
    public init(
        _ code: Code,
        message: String,
        candidates: [String] = [],
        underlying: (any Error)? = nil
    ) {
        storage = Storage(code, message, candidates, underlying, nil)
    }

    /// Creates an error that CredKit distinguishes from others with the same code.
    init(_ code: Code, message: String, detail: Detail) {
        storage = Storage(code, message, [], nil, detail)
    }

    /// What went wrong.
    public var code: Code { storage.code }

    /// What failed, on what, why, and what to do, for people.
    public var message: String { storage.message }

    /// The matching items of an ``ambiguous`` error, each with its label and its location in the store.
    public var candidates: [String] { storage.candidates }

    /// The error that caused this one, if there is one: what a ``CredentialStore`` of your own has thrown.
    public var underlying: (any Error)? { storage.underlying }

    /// What distinguishes the error from others with the same code, if CredKit handles it differently.
    package var detail: Detail? { storage.detail }

    /// The message.
    public var description: String { message }

    /// Whether the error affects the whole store, so that the next call would fail too.
    var isOfTheWholeStore: Bool {
        [.noBus, .noService, .noDefaultCollection, .locked, .dismissed, .timedOut].contains(code)
    }

    /// Returns whether both errors have the same code; their messages may differ.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

extension KeychainError {
    /// What went wrong, in a word that programs compare.
    ///
    /// Later versions may add codes. A program can add its own, for errors that it creates itself:
    ///
    /// ```swift
    /// extension KeychainError.Code {
    ///     static let quotaExceeded = Self(rawValue: "quotaExceeded")
    /// }
    /// ```
    public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
        /// The word, such as `noBus`.
        public let rawValue: String

        /// Creates a code.
        ///
        /// - Parameter rawValue: A word that no other code has.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The word.
        public var description: String { rawValue }

        /// There is no session bus, or it cannot be reached, for example in a cron job, in a container, or over ssh.
        public static let noBus = Self(rawValue: "noBus")
        /// The session bus exists, but no program on it offers the Secret Service; or libsecret, which is needed to use it,
        /// is not installed.
        public static let noService = Self(rawValue: "noService")
        /// The Secret Service exists, but has no default collection, or not the named one.
        public static let noDefaultCollection = Self(rawValue: "noDefaultCollection")
        /// The store is locked, and the ``PromptPolicy`` does not allow the prompt that would unlock it.
        public static let locked = Self(rawValue: "locked")
        /// The user closed the prompt.
        public static let dismissed = Self(rawValue: "dismissed")
        /// A call or a prompt took longer than its deadline.
        public static let timedOut = Self(rawValue: "timedOut")
        /// Several items match a query for one; ``KeychainError/candidates`` names them.
        public static let ambiguous = Self(rawValue: "ambiguous")
        /// The store or the system denied the access.
        public static let denied = Self(rawValue: "denied")
        /// The vault needs a passphrase or a key, and no source provides one.
        public static let noPassphrase = Self(rawValue: "noPassphrase")
        /// The passphrase or key does not unlock the vault.
        public static let wrongPassphrase = Self(rawValue: "wrongPassphrase")
        /// The file is damaged, or has another format.
        public static let damaged = Self(rawValue: "damaged")
        /// The vault is an older copy than the newest one that this account has seen.
        public static let rollbackDetected = Self(rawValue: "rollbackDetected")
        /// Another vault is at the path where this account has used one before. ``VaultStore/accept()`` accepts it.
        public static let vaultReplaced = Self(rawValue: "vaultReplaced")
        /// There is no vault at the path where this account has used one before. ``VaultStore/accept()`` accepts that.
        public static let vaultMissing = Self(rawValue: "vaultMissing")
        /// A file or folder is a symbolic link, belongs to another user, or is writable by other users.
        public static let insecureFile = Self(rawValue: "insecureFile")
        /// A named object does not exist: a file, a slot, an item that should be moved.
        public static let notFound = Self(rawValue: "notFound")
        /// The object to be created exists already.
        public static let alreadyExists = Self(rawValue: "alreadyExists")
        /// The item, name or value is invalid and cannot be stored.
        public static let invalid = Self(rawValue: "invalid")
        /// A file requires more memory or time than is allowed, or contains more than is allowed.
        public static let overLimit = Self(rawValue: "overLimit")
        /// The store does not support the operation, or the file has a later version.
        public static let unsupported = Self(rawValue: "unsupported")
        /// Another program holds the lock, or uses the store. Retry later.
        public static let busy = Self(rawValue: "busy")
        /// The system failed to read or write.
        public static let inputOutput = Self(rawValue: "inputOutput")
        /// There is not enough memory.
        public static let outOfMemory = Self(rawValue: "outOfMemory")
        /// The task was cancelled. The operation may or may not have been completed.
        public static let cancelled = Self(rawValue: "cancelled")
        /// The store failed with an error that has no code here. ``KeychainError/underlying`` has the error of a store that
        /// is not CredKit's own.
        public static let failed = Self(rawValue: "failed")
    }
}

extension KeychainError {
    /// There is no session bus, or it cannot be reached, for example in a cron job, in a container, or over ssh.
    public static let noBus = Self(.noBus, message: "there is no D-Bus session")
    /// The session bus exists, but no program on it offers the Secret Service; or libsecret, which is needed to use it,
    /// is not installed.
    public static let noService = Self(
        .noService,
        message: "no program on the D-Bus session offers the Secret Service"
    )
    /// The Secret Service exists, but has no default collection, or not the named one.
    public static let noDefaultCollection = Self(
        .noDefaultCollection,
        message: "the Secret Service has no default collection"
    )
    /// The store is locked, and the ``PromptPolicy`` does not allow the prompt that would unlock it.
    public static let locked = Self(.locked, message: "the keychain is locked")
    /// The user closed the prompt.
    public static let dismissed = Self(.dismissed, message: "the prompt was dismissed")
    /// A call or a prompt took longer than its deadline.
    public static let timedOut = Self(.timedOut, message: "the call timed out", detail: .deadline)
    /// Several items match a query for one; ``KeychainError/candidates`` names them.
    public static let ambiguous = Self(.ambiguous, message: "several items match")
    /// The store or the system denied the access.
    public static let denied = Self(.denied, message: "permission denied")
    /// The vault needs a passphrase or a key, and no source provides one.
    public static let noPassphrase = Self(.noPassphrase, message: "no passphrase was given")
    /// The passphrase or key does not unlock the vault.
    public static let wrongPassphrase = Self(.wrongPassphrase, message: "the passphrase is wrong")
    /// The file is damaged, or has another format.
    public static let damaged = Self(.damaged, message: "the file is damaged")
    /// The vault is an older copy than the newest one that this account has seen.
    public static let rollbackDetected = Self(.rollbackDetected, message: "the vault is an older copy")
    /// Another vault is at the path where this account has used one before. ``VaultStore/accept()`` accepts it.
    public static let vaultReplaced = Self(
        .vaultReplaced,
        message: "another vault is in the place of the known one"
    )
    /// There is no vault at the path where this account has used one before. ``VaultStore/accept()`` accepts that.
    public static let vaultMissing = Self(.vaultMissing, message: "the vault is missing")
    /// A file or folder is a symbolic link, belongs to another user, or is writable by other users.
    public static let insecureFile = Self(.insecureFile, message: "other users can change the file")
    /// A named object does not exist: a file, a slot, an item that should be moved.
    public static let notFound = Self(.notFound, message: "not found")
    /// The object to be created exists already.
    public static let alreadyExists = Self(.alreadyExists, message: "it already exists")
    /// The item, name or value is invalid and cannot be stored.
    public static let invalid = Self(.invalid, message: "the value is invalid")
    /// A file requires more memory or time than is allowed, or contains more than is allowed.
    public static let overLimit = Self(.overLimit, message: "over the limit")
    /// The store does not support the operation, or the file has a later version.
    public static let unsupported = Self(.unsupported, message: "not supported")
    /// Another program holds the lock, or uses the store. Retry later.
    public static let busy = Self(.busy, message: "another program holds the lock")
    /// The system failed to read or write.
    public static let inputOutput = Self(.inputOutput, message: "input or output failed")
    /// There is not enough memory.
    public static let outOfMemory = Self(.outOfMemory, message: "there is not enough memory")
    /// The task was cancelled. The operation may or may not have been completed.
    public static let cancelled = Self(.cancelled, message: "cancelled")
    /// The store failed with an error that has no code here. ``KeychainError/underlying`` has the error of a store that
    /// is not CredKit's own.
    public static let failed = Self(.failed, message: "the store failed")

    static func noBus(_ message: String) -> Self { .init(.noBus, message: message) }
    static func noService(_ message: String) -> Self { .init(.noService, message: message) }
    static func noDefaultCollection(_ message: String) -> Self {
        .init(.noDefaultCollection, message: message)
    }
    package static func locked(_ message: String) -> Self { .init(.locked, message: message) }
    package static func dismissed(_ message: String) -> Self { .init(.dismissed, message: message) }
    package static func timedOut(_ message: String) -> Self { .init(.timedOut, message: message) }
    static func ambiguous(_ message: String, candidates: [String]) -> Self {
        .init(.ambiguous, message: message, candidates: candidates)
    }
    static func denied(_ message: String) -> Self { .init(.denied, message: message) }
    package static func noPassphrase(_ message: String) -> Self { .init(.noPassphrase, message: message) }
    static func wrongPassphrase(_ message: String) -> Self { .init(.wrongPassphrase, message: message) }
    package static func damaged(_ message: String) -> Self { .init(.damaged, message: message) }
    static func rollbackDetected(_ message: String) -> Self { .init(.rollbackDetected, message: message) }
    static func vaultReplaced(_ message: String) -> Self { .init(.vaultReplaced, message: message) }
    static func vaultMissing(_ message: String) -> Self { .init(.vaultMissing, message: message) }
    static func insecureFile(_ message: String) -> Self { .init(.insecureFile, message: message) }
    package static func notFound(_ message: String) -> Self { .init(.notFound, message: message) }
    package static func alreadyExists(_ message: String) -> Self { .init(.alreadyExists, message: message) }
    package static func invalid(_ message: String) -> Self { .init(.invalid, message: message) }
    package static func overLimit(_ message: String) -> Self { .init(.overLimit, message: message) }
    package static func unsupported(_ message: String) -> Self { .init(.unsupported, message: message) }
    static func busy(_ message: String) -> Self { .init(.busy, message: message) }
    package static func inputOutput(_ message: String) -> Self { .init(.inputOutput, message: message) }
    static func failed(_ message: String) -> Self { .init(.failed, message: message) }
}
