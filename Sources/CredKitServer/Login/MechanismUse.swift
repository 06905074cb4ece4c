// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit
internal import CredKitSystem

/// Counts who still logs in by which mechanism, so that an operator sees when an old one can end.
///
/// ```swift
/// let use = MechanismUse()
/// let service = try LoginService(…, mechanismUse: use)
/// for count in use.counts { print(count.mechanism, count.logins, count.accounts) }
/// use.accounts(using: TimestampedMechanism.name, since: .now + .seconds(-30 * 86_400))      // who still needs a new client
/// ```
///
/// It counts accepted logins in this process, from its start on, and in memory, so that a login waits for nothing. Let each of
/// several servers hand on its counts every 10 seconds or so, and when it ends, with ``save(to:)``: a ``MechanismUseStore`` adds
/// them up and keeps them across restarts. A process that is killed loses what it has counted since it last saved.
public final class MechanismUse: Sendable {
    struct Use: Sendable {
        var logins = 0
        var lastUse: UnixTime
        /// By the bytes of the name.
        var accounts: [[UInt8]: UnixTime] = [:]

        mutating func note(_ account: [UInt8], at time: UnixTime, limit: Int) {
            lastUse = max(lastUse, time)
            if let last = accounts[account] {
                accounts[account] = max(last, time)
            } else if accounts.count < limit {
                accounts[account] = time
            }
        }
    }

    struct State: Sendable {
        var uses: [String: Use] = [:]
        /// What no store has. `nil` before anything was first saved, since that is everything then.
        var unsaved: [String: Use]?
    }

    let accountLimit: Int
    let state = Lock(State())

    /// Creates a counter.
    ///
    /// - Parameter accountLimit: The maximum number of accounts that are remembered of each mechanism. The logins of further ones
    ///   are counted only. Default: 1,000,000, some 100 MB; up to twice as much while a store fails.
    public init(accountLimit: Int = 1_000_000) {
        self.accountLimit = accountLimit
    }

    /// The use of each mechanism, in the order of their names.
    public var counts: [Count] {
        state.withLock { state in
            state.uses.map { name, use in
                Count(mechanism: name, logins: use.logins, accounts: use.accounts.count, lastUse: use.lastUse)
            }
        }
        .sorted { $0.mechanism < $1.mechanism }
    }

    /// Returns the time of an account's last login by a mechanism.
    ///
    /// - Parameters:
    ///   - mechanism: The name of the mechanism.
    ///   - account: The name of the account in the table.
    /// - Returns: The time; `nil` if there was no login that is remembered.
    public func lastUse(of mechanism: String, byAccountNamed account: String) -> UnixTime? {
        state.withLock { $0.uses[mechanism]?.accounts[Array(account.utf8)] }
    }

    /// Returns the accounts that have logged in by a mechanism.
    ///
    /// - Parameters:
    ///   - mechanism: The name of the mechanism.
    ///   - start: The time from which on logins count.
    /// - Returns: The names of the accounts in the table, sorted.
    public func accounts(using mechanism: String, since start: UnixTime) -> [String] {
        state.withLock { state in
            state.uses[mechanism]?.accounts.filter { $0.value >= start }.map {
                String(decoding: $0.key, as: UTF8.self)
            } ?? []
        }
        .sorted()
    }

    func record(_ mechanism: String, account: String, at now: UnixTime) {
        let account = Array(account.utf8)
        state.withLock { state in
            state.uses.note(mechanism, account, at: now, limit: accountLimit)
            state.unsaved?.note(mechanism, account, at: now, limit: accountLimit)
        }
    }
}

extension [String: MechanismUse.Use] {
    /// Counts a login.
    fileprivate mutating func note(
        _ mechanism: String,
        _ account: [UInt8],
        at now: UnixTime,
        limit: Int
    ) {
        self[mechanism, default: Value(lastUse: now)].logins += 1
        self[mechanism]?.note(account, at: now, limit: limit)
    }
}
