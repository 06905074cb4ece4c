// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The storage in which servers add up who logs in by which mechanism: see ``MechanismUse/save(to:)``.
///
/// ``RedisMechanismUseStore`` and ``PostgreSQLMechanismUseStore`` are stores for any number of servers. A store has the names of the
/// accounts in plain text, since an operator reads them. Accounts are compared as UTF-8. Run `MechanismUseStoreSuite` of the
/// module CredKitTesting against your own store.
public protocol MechanismUseStore: Sendable {
    /// Adds to the counts of a mechanism, in one atomic operation.
    ///
    /// The number of logins grows with each call, so do not repeat one whose answer was lost. The times of last logins are the
    /// latest ones that were added in any order.
    ///
    /// - Parameter addition: What to add. An account may be in it only once.
    /// - Throws: Any error that kept the store from adding. ``MechanismUse/save(to:)`` wraps it, and adds the same again later.
    func add(_ addition: MechanismUse.Addition) async throws

    /// Returns the use of each mechanism, in the order of their names.
    ///
    /// - Returns: The counts. Accounts that have not logged in for long may be missing in them.
    /// - Throws: Any error that kept the store from answering.
    func counts() async throws -> [MechanismUse.Count]

    /// Returns the accounts that have logged in by a mechanism.
    ///
    /// - Parameters:
    ///   - mechanism: The name of the mechanism.
    ///   - start: The time from which on logins count.
    /// - Returns: The names of the accounts in the table, sorted, each once.
    /// - Throws: Any error that kept the store from answering.
    func accounts(using mechanism: String, since start: UnixTime) async throws -> [String]
}

/// What stores in an engine need.
enum MechanismUseStorage {
    /// The time after which an account that has not logged in by a mechanism is forgotten.
    static let retention = Duration.seconds(400 * 86_400)
    static let permittedRetentions = Duration.seconds(86_400) ... .seconds(4000 * 86_400)
    /// The accounts of one step of reading.
    static let pageSize: Int64 = 500

    /// The seconds of a time, in a range that numbers of Lua and microseconds hold.
    static func seconds(_ time: UnixTime) -> Int64 { min(max(time.seconds, 0), 1 << 40) }

    /// Returns names in the order of their texts, each once.
    static func sorted(_ names: Set<[UInt8]>) -> [String] {
        names.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }
}
