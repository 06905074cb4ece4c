// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Whether a keychain may ask a person, and how long it waits.
///
/// Nothing waits for ever: a call that has no answer by its deadline ends with ``KeychainError/timedOut``.
///
/// ```swift
/// var interaction = Interaction.desktop           // may open the desktop's dialogue for a locked keyring
/// interaction.promptDeadline = .seconds(120)
/// ```
public struct Interaction: Sendable, Hashable {
    /// Who may be asked.
    public enum Prompting: Sendable, Hashable {
        /// Nobody. What is locked and cannot be opened with the secrets at hand throws ``KeychainError/locked`` or
        /// ``KeychainError/noPassphrase``.
        case never
        /// Whoever sits at the terminal of this process (`/dev/tty`), for the passphrase of a vault.
        case terminal
        /// Whoever sits at the desktop: the Secret Service may open its own dialogue. A vault asks nobody then.
        case desktop
    }

    /// Nobody is asked: the default.
    public static let never = Interaction()
    /// The passphrase of a vault may be asked for at the terminal.
    public static let terminal = Interaction(prompting: .terminal)
    /// The Secret Service may open its dialogue.
    public static let desktop = Interaction(prompting: .desktop)

    /// Who may be asked.
    public var prompting: Prompting

    /// How long a call to the Secret Service, or waiting for a vault's lock, may take. 5 seconds unless set.
    public var callDeadline: Duration

    /// How long a person may take to answer. 60 seconds unless set.
    public var promptDeadline: Duration

    /// A policy.
    ///
    /// - Parameters:
    ///   - prompting: Who may be asked.
    ///   - callDeadline: How long a call may take.
    ///   - promptDeadline: How long a person may take to answer.
    public init(
        prompting: Prompting = .never,
        callDeadline: Duration = .seconds(5),
        promptDeadline: Duration = .seconds(60)
    ) {
        self.prompting = prompting
        self.callDeadline = callDeadline
        self.promptDeadline = promptDeadline
    }
}
