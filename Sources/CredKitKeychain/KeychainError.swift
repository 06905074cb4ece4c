// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why a keychain could not do what it was asked.
///
/// That there is no such item is no error: a question for it answers `nil`. Whatever is thrown says that the question
/// could not be answered, or that what was to be done was not done.
///
/// Two errors are equal when their codes are, so that they can be caught by name:
///
/// ```swift
/// do {
///     password = try await keychain.password(service: "com.example.app", account: "alice")
/// } catch .locked {
///     …
/// }
/// ```
///
/// Errors hold no secret. They name services, accounts and files.
public struct KeychainError: Error, Sendable, Equatable, CustomStringConvertible {
    private enum Code: Sendable {
        case noBus, noService, noDefaultCollection, locked, dismissed, timedOut, ambiguous, denied
        case noPassphrase, wrongPassphrase, damaged, olderCopy, insecureFile
        case notFound, alreadyExists, invalid, overLimit, unsupported
        case busy, inputOutput, outOfMemory, cancelled, failed
    }

    private let code: Code

    /// A sentence for people: what is wrong and, where something can be done, what.
    public let description: String

    /// The items that were meant, of an ``ambiguous`` error, each with its label and its place in the store.
    public let candidates: [String]

    private init(_ code: Code, _ description: String, candidates: [String] = []) {
        self.code = code
        self.description = description
        self.candidates = candidates
    }

    /// There is no session bus, or it cannot be reached: as in a cron job, a container, or over ssh.
    public static let noBus = noBus("there is no D-Bus session")
    /// The session bus is there, but nothing on it offers the Secret Service; or libsecret is not, through which it is asked.
    public static let noService = noService("nothing on the D-Bus session offers the Secret Service")
    /// The Secret Service is there, but has no default collection, or not the one that was named.
    public static let noDefaultCollection = noDefaultCollection(
        "the Secret Service has no default collection"
    )
    /// The store is locked, and the ``Interaction`` allows no prompt that would unlock it.
    public static let locked = locked("the keychain is locked")
    /// Somebody closed the prompt.
    public static let dismissed = dismissed("the prompt was dismissed")
    /// A call or a prompt took longer than its deadline.
    public static let timedOut = timedOut("no answer in time")
    /// Several items match where one was meant; ``candidates`` names them.
    public static let ambiguous = ambiguous("several items match", candidates: [])
    /// The store or the system refused.
    public static let denied = denied("permission denied")
    /// The vault needs a passphrase or a key, and no source has one.
    public static let noPassphrase = noPassphrase("there is no passphrase")
    /// The passphrase or key does not open the vault.
    public static let wrongPassphrase = wrongPassphrase("the passphrase is wrong")
    /// The file is damaged, or is something else altogether.
    public static let damaged = damaged("the file is damaged")
    /// The vault is an older copy than the one that this account has seen.
    public static let olderCopy = olderCopy("the vault is an older copy")
    /// A file or folder is a link, belongs to somebody else, or can be written by others.
    public static let insecureFile = insecureFile("the file can be changed by others")
    /// What was named is not there: a file, a slot, an item that was to be moved.
    public static let notFound = notFound("not found")
    /// What was to be created is there already.
    public static let alreadyExists = alreadyExists("it exists already")
    /// The item, name or value cannot be stored.
    public static let invalid = invalid("the value is not valid")
    /// A file asks for more memory or time than is allowed, or holds more than it may.
    public static let overLimit = overLimit("over the limit")
    /// The store has no such ability, or the file is of a later version.
    public static let unsupported = unsupported("not supported")
    /// Another program holds the lock, or uses the store. Try again later.
    public static let busy = busy("another program holds the lock")
    /// The system failed to read or write.
    public static let inputOutput = inputOutput("input or output failed")
    /// There is not enough memory.
    public static let outOfMemory = Self(.outOfMemory, "there is not enough memory")
    /// The task was cancelled. What was under way may or may not have been done.
    public static let cancelled = Self(.cancelled, "cancelled")
    /// The Secret Service answered with an error that has no name here.
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
    static func olderCopy(_ text: String) -> Self { .init(.olderCopy, text) }
    static func insecureFile(_ text: String) -> Self { .init(.insecureFile, text) }
    package static func notFound(_ text: String) -> Self { .init(.notFound, text) }
    package static func alreadyExists(_ text: String) -> Self { .init(.alreadyExists, text) }
    package static func invalid(_ text: String) -> Self { .init(.invalid, text) }
    package static func overLimit(_ text: String) -> Self { .init(.overLimit, text) }
    package static func unsupported(_ text: String) -> Self { .init(.unsupported, text) }
    static func busy(_ text: String) -> Self { .init(.busy, text) }
    package static func inputOutput(_ text: String) -> Self { .init(.inputOutput, text) }
    static func failed(_ text: String) -> Self { .init(.failed, text) }

    /// Whether the next call to the store has no better prospects than the one that threw this.
    var isOfTheWholeStore: Bool {
        [.noBus, .noService, .noDefaultCollection, .locked, .dismissed, .timedOut].contains(self)
    }

    /// Whether both errors are of the same kind; what they say in detail may differ.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}
