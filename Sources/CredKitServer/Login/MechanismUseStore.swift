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
