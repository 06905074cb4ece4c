// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The result of a login as the log and the metrics show it. The name of the user is left out: users type passwords into the
/// wrong field, and the hash of a name can be guessed.
struct LoggedLogin: Sendable, Hashable {
    /// What became of a login.
    enum Outcome: String, Sendable, CaseIterable {
        case accepted
        case rejected
        case codeRequired = "code_required"
        /// Refused by the limits of attempts.
        case limited
        case replayed
        /// The server could not decide, or has no room for another session.
        case unavailable
    }

    let mechanism: ServerMechanism
    var outcome: Outcome
}
