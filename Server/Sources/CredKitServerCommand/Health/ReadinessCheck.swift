// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A condition without which the server cannot log users in, such as a connection to a store.
struct ReadinessCheck: Sendable {
    /// What is checked, for the answer and the log. It must not contain anything secret.
    let name: String

    /// Throws if the condition is not met. It should end when its task is cancelled.
    let run: @Sendable () async throws -> Void

    /// Creates a check.
    ///
    /// - Parameters:
    ///   - name: What is checked, for the answer and the log.
    ///   - run: Throws if the condition is not met.
    init(_ name: String, run: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.run = run
    }
}
