// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKitServer

/// Hands on what a server counts of its logins, so that all servers' counts are added up.
struct MechanismUseSaving: Sendable {
    /// The pause between two calls of the store, on average.
    private static let pause = Duration.seconds(10)

    let use: MechanismUse
    let store: any MechanismUseStore
    let log: ServerLog
    private let task: Task<Void, Never>

    /// Begins.
    init(_ use: MechanismUse, in store: any MechanismUseStore, log: ServerLog) {
        self.use = use
        self.store = store
        self.log = log
        task = Task {
            var isFailing = false
            while !Task.isCancelled {
                // Servers that were started together must not save at the same moment.
                try? await Task.sleep(for: Self.pause * Double.random(in: 0.5...1.5))
                guard !Task.isCancelled else { return }
                // The end of the server must not interrupt it: logins whose answer is lost count twice.
                let error = await Task.detached { await Self.save(use, in: store) }.value
                // One warning for each time of failures.
                if let error, !isFailing { Self.warn(error, log) }
                isFailing = error != nil
            }
        }
    }

    /// Saves what has not been saved yet, and ends.
    func end() async {
        task.cancel()
        await task.value
        if let error = await Self.save(use, in: store) { Self.warn(error, log) }
    }

    private static func save(_ use: MechanismUse, in store: any MechanismUseStore) async -> LoginServerError?
    {
        do throws(LoginServerError) {
            try await use.save(to: store)
            return nil
        } catch {
            return error
        }
    }

    private static func warn(_ error: LoginServerError, _ log: ServerLog) {
        let reason = error.underlying.map { "\($0)" } ?? error.description
        log.note(.warning, "mechanisms", "the counts of logins cannot be saved now: \(reason)")
    }
}
#endif
