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
/// It counts accepted logins in this process, from its start on, and in memory, so that a login waits for nothing. Each of several
/// servers counts for itself.
public final class MechanismUse: Sendable {
    /// The use of one mechanism.
    public struct Count: Sendable, Hashable {
        /// The name of the mechanism.
        public let mechanism: String
        /// The number of logins.
        public let logins: Int
        /// The number of accounts that logged in, of those that are remembered.
        public let accounts: Int
        /// The time of the last login.
        public let lastUse: UnixTime
    }

    private struct Use: Sendable {
        var logins = 0
        var lastUse: UnixTime
        /// By the bytes of the name.
        var accounts: [[UInt8]: UnixTime] = [:]

        mutating func note(_ account: [UInt8], at time: UnixTime, limit: Int) {
            logins += 1
            lastUse = max(lastUse, time)
            if let last = accounts[account] {
                accounts[account] = max(last, time)
            } else if accounts.count < limit {
                accounts[account] = time
            }
        }
    }

    private let accountLimit: Int
    private let uses = Lock<[String: Use]>([:])

    /// Creates a counter.
    ///
    /// - Parameter accountLimit: The maximum number of accounts that are remembered of each mechanism. The logins of further ones
    ///   are counted only. Default: 1,000,000, some 100 MB.
    public init(accountLimit: Int = 1_000_000) {
        self.accountLimit = accountLimit
    }

    /// The use of each mechanism, in the order of their names.
    public var counts: [Count] {
        uses.withLock { uses in
            uses.map { name, use in
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
        uses.withLock { $0[mechanism]?.accounts[Array(account.utf8)] }
    }

    /// Returns the accounts that have logged in by a mechanism.
    ///
    /// - Parameters:
    ///   - mechanism: The name of the mechanism.
    ///   - start: The time from which on logins count.
    /// - Returns: The names of the accounts in the table, sorted.
    public func accounts(using mechanism: String, since start: UnixTime) -> [String] {
        uses.withLock { uses in
            uses[mechanism]?.accounts.filter { $0.value >= start }.map {
                String(decoding: $0.key, as: UTF8.self)
            } ?? []
        }
        .sorted()
    }

    func record(_ mechanism: String, account: String, at now: UnixTime) {
        uses.withLock { uses in
            uses[mechanism, default: Use(lastUse: now)]
                .note(Array(account.utf8), at: now, limit: accountLimit)
        }
    }
}
