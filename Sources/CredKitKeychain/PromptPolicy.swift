// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Whether a keychain may prompt the user, and how long it waits.
///
/// Every wait has a limit: a call without an answer by its deadline throws ``KeychainError/timedOut``.
///
/// ```swift
/// var promptPolicy = PromptPolicy.desktop           // may open the desktop's dialog for a locked keyring
/// promptPolicy.promptTimeout = .seconds(120)
/// ```
public struct PromptPolicy: Sendable, Hashable {
    /// The kind of prompt that is allowed.
    public enum Mode: Sendable, Hashable {
        /// No prompt. If the available secrets do not unlock the store, ``KeychainError/locked`` or
        /// ``KeychainError/noPassphrase`` is thrown. The exception is KeePassXC, which
        /// creates an item in a prompt without a dialog.
        case never
        /// A prompt for the passphrase of a vault at the terminal of this process (`/dev/tty`).
        case terminal
        /// A prompt at the desktop: the Secret Service may open its own dialog. A vault does not prompt.
        case desktop
    }

    /// Allows no prompt: the default.
    public static let never = PromptPolicy()
    /// Allows a prompt for the passphrase of a vault at the terminal.
    public static let terminal = PromptPolicy(mode: .terminal)
    /// Allows the Secret Service to open its dialog.
    public static let desktop = PromptPolicy(mode: .desktop)

    /// The kind of prompt that is allowed.
    public var mode: Mode

    /// The maximum time of a call, apart from prompts; `nil` for that of the store. A call to the Secret Service has 5
    /// seconds. A call to a vault has 30 seconds, because it may derive keys and wait for other writers.
    public var timeout: Duration?

    /// The maximum time for the user's answer to a prompt. Default: 60 seconds.
    public var promptTimeout: Duration

    /// Whether a Secret Service that does not run is started.
    package var startsService = true

    /// Creates a policy.
    ///
    /// - Parameters:
    ///   - mode: The kind of prompt that is allowed.
    ///   - timeout: The maximum time of a call, apart from prompts; `nil` for that of the store.
    ///   - promptTimeout: The maximum time for the user's answer.
    public init(
        mode: Mode = .never,
        timeout: Duration? = nil,
        promptTimeout: Duration = .seconds(60)
    ) {
        self.mode = mode
        self.timeout = timeout
        self.promptTimeout = promptTimeout
    }

    /// The maximum time of a call to the Secret Service.
    var serviceTimeout: Duration { timeout ?? .seconds(5) }

    /// The maximum time of a call to a vault.
    var vaultTimeout: Duration { timeout ?? .seconds(30) }
}
