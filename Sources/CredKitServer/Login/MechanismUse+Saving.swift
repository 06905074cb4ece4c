// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

extension MechanismUse {
    /// Hands what was counted since the last call to a store, in additions of at most 500 accounts. What the store did not take
    /// is handed over by the next call.
    ///
    /// ```swift
    /// while !Task.isCancelled {
    ///     try? await Task.sleep(for: .seconds(10) * Double.random(in: 0.5...1.5))       // servers do not save together
    ///     do { try await use.save(to: store) } catch { … }                              // log it; no login depends on it
    /// }
    /// ```
    ///
    /// Calls at the same time hand over nothing twice. Logins count twice if the store took them, but its answer was lost: the
    /// numbers are those of an operator's report. The accounts and the times of their last logins are exact.
    ///
    /// - Parameter store: The store.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/cancelled``.
    public func save(to store: some MechanismUseStore) async throws(LoginServerError) {
        let additions = takeUnsaved()
        for (index, addition) in additions.enumerated() {
            do throws(LoginServerError) {
                try await LoginServerError.wrapping("the store of the use of mechanisms failed") {
                    try await store.add(addition)
                }
            } catch {
                giveBack(additions[index...])
                throw error
            }
        }
    }

    private func takeUnsaved() -> [Addition] {
        let taken = state.withLock { state in
            defer { state.unsaved = [:] }
            return state.unsaved ?? state.uses
        }
        return taken.flatMap { Self.additions(of: $0.key, $0.value) }
    }

    private func giveBack(_ additions: ArraySlice<Addition>) {
        state.withLock { state in
            for addition in additions {
                var unsaved =
                    state.unsaved?.removeValue(forKey: addition.mechanism) ?? Use(lastUse: addition.lastUse)
                unsaved.logins += addition.logins
                unsaved.lastUse = max(unsaved.lastUse, addition.lastUse)
                for use in addition.accounts {
                    unsaved.note(Array(use.account.utf8), at: use.lastUse, limit: accountLimit)
                }
                state.unsaved?[addition.mechanism] = unsaved
            }
        }
    }

    /// Divides a use into additions. The first one has all logins.
    private static func additions(of mechanism: String, _ use: Use) -> [Addition] {
        var additions: [Addition] = []
        var accounts: [AccountUse] = []
        var byteCount = 0
        func end() {
            let logins = additions.isEmpty ? use.logins : 0
            additions.append(
                Addition(mechanism: mechanism, logins: logins, lastUse: use.lastUse, accounts: accounts)
            )
            accounts = []
            byteCount = 0
        }
        for (account, time) in use.accounts {
            let isFull =
                accounts.count == Addition.accountLimit || byteCount + account.count > Addition.byteLimit
            if isFull, !accounts.isEmpty { end() }
            accounts.append(AccountUse(account: String(decoding: account, as: UTF8.self), lastUse: time))
            byteCount += account.count
        }
        if !accounts.isEmpty || additions.isEmpty { end() }
        return additions
    }
}
