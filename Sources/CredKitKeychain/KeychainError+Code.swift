// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
