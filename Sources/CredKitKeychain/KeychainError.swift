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
/// }
/// ```
///
/// Errors contain no secrets. They name services, accounts and files.
public struct KeychainError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Code: Sendable {
        case noBus, noService, noDefaultCollection, locked, dismissed, timedOut, ambiguous, denied
        case noPassphrase, wrongPassphrase, damaged, rollbackDetected, insecureFile
        case notFound, alreadyExists, invalid, overLimit, unsupported
        case busy, inputOutput, outOfMemory, cancelled, failed
    }

    private let code: Code

    /// A message for people: the cause and, if there is one, the remedy.
    public let description: String

    /// The matching items of an ``ambiguous`` error, each with its label and its location in the store.
    public let candidates: [String]

    private init(_ code: Code, _ description: String, candidates: [String] = []) {
        self.code = code
        self.description = description
        self.candidates = candidates
    }

    /// There is no session bus, or it cannot be reached, for example in a cron job, in a container, or over ssh.
    public static let noBus = noBus("there is no D-Bus session")
    /// The session bus exists, but no program on it offers the Secret Service; or libsecret, which is needed to use it,
    /// is not installed.
    public static let noService = noService("no program on the D-Bus session offers the Secret Service")
    /// The Secret Service exists, but has no default collection, or not the named one.
    public static let noDefaultCollection = noDefaultCollection(
        "the Secret Service has no default collection"
    )
    /// The store is locked, and the ``PromptPolicy`` does not allow the prompt that would unlock it.
    public static let locked = locked("the keychain is locked")
    /// The user closed the prompt.
    public static let dismissed = dismissed("the prompt was dismissed")
    /// A call or a prompt took longer than its deadline.
    public static let timedOut = timedOut("the call timed out")
    /// Several items match a query for one; ``candidates`` names them.
    public static let ambiguous = ambiguous("several items match", candidates: [])
    /// The store or the system denied the access.
    public static let denied = denied("permission denied")
    /// The vault needs a passphrase or a key, and no source provides one.
    public static let noPassphrase = noPassphrase("no passphrase was given")
    /// The passphrase or key does not unlock the vault.
    public static let wrongPassphrase = wrongPassphrase("the passphrase is wrong")
    /// The file is damaged, or has another format.
    public static let damaged = damaged("the file is damaged")
    /// The vault is an older copy than the newest one that this account has seen.
    public static let rollbackDetected = rollbackDetected("the vault is an older copy")
    /// A file or folder is a symbolic link, belongs to another user, or is writable by other users.
    public static let insecureFile = insecureFile("other users can change the file")
    /// A named object does not exist: a file, a slot, an item that should be moved.
    public static let notFound = notFound("not found")
    /// The object to be created exists already.
    public static let alreadyExists = alreadyExists("it already exists")
    /// The item, name or value is invalid and cannot be stored.
    public static let invalid = invalid("the value is invalid")
    /// A file requires more memory or time than is allowed, or contains more than is allowed.
    public static let overLimit = overLimit("over the limit")
    /// The store does not support the operation, or the file has a later version.
    public static let unsupported = unsupported("not supported")
    /// Another program holds the lock, or uses the store. Retry later.
    public static let busy = busy("another program holds the lock")
    /// The system failed to read or write.
    public static let inputOutput = inputOutput("input or output failed")
    /// There is not enough memory.
    public static let outOfMemory = Self(.outOfMemory, "there is not enough memory")
    /// The task was cancelled. The operation may or may not have been completed.
    public static let cancelled = Self(.cancelled, "cancelled")
    /// The Secret Service returned an error that has no code here.
    public static let failed = failed("the Secret Service failed")

    static func noBus(_ text: String) -> Self { .init(.noBus, text) }
    static func noService(_ text: String) -> Self { .init(.noService, text) }
    static func noDefaultCollection(_ text: String) -> Self { .init(.noDefaultCollection, text) }
    package static func locked(_ text: String) -> Self { .init(.locked, text) }
    package static func dismissed(_ text: String) -> Self { .init(.dismissed, text) }
    package static func timedOut(_ text: String) -> Self { .init(.timedOut, text) }
    static func ambiguous(_ text: String, candidates: [String]) -> Self {
        .init(.ambiguous, text, candidates: candidates)
    }
    static func denied(_ text: String) -> Self { .init(.denied, text) }
    package static func noPassphrase(_ text: String) -> Self { .init(.noPassphrase, text) }
    static func wrongPassphrase(_ text: String) -> Self { .init(.wrongPassphrase, text) }
    package static func damaged(_ text: String) -> Self { .init(.damaged, text) }
    static func rollbackDetected(_ text: String) -> Self { .init(.rollbackDetected, text) }
    static func insecureFile(_ text: String) -> Self { .init(.insecureFile, text) }
    package static func notFound(_ text: String) -> Self { .init(.notFound, text) }
    package static func alreadyExists(_ text: String) -> Self { .init(.alreadyExists, text) }
    package static func invalid(_ text: String) -> Self { .init(.invalid, text) }
    package static func overLimit(_ text: String) -> Self { .init(.overLimit, text) }
    package static func unsupported(_ text: String) -> Self { .init(.unsupported, text) }
    static func busy(_ text: String) -> Self { .init(.busy, text) }
    package static func inputOutput(_ text: String) -> Self { .init(.inputOutput, text) }
    static func failed(_ text: String) -> Self { .init(.failed, text) }

    /// Whether the error affects the whole store, so that the next call would fail too.
    var isOfTheWholeStore: Bool {
        [.noBus, .noService, .noDefaultCollection, .locked, .dismissed, .timedOut].contains(self)
    }

    /// Returns whether both errors have the same code; their messages may differ.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
