// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Passkeys in PostgreSQL, for any number of servers. ``SQLSchema`` creates their tables.
///
/// Accounts are found by a SHA-256 of their names, which are stored in plain text as well: passkeys stay when the key of the
/// ``SharedStateConfiguration`` changes. Save the schema with the table of users: users who lose their passkeys are locked out.
///
/// > Important: A failover to an asynchronous standby can lose the last changes: a passkey that was removed then is there again.
/// > Set `synchronous_standby_names`.
public struct PostgreSQLPasskeyStore: PasskeyStore {
    private let engine: SQLEngine

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - runner: The client of the PostgreSQL server.
    ///   - configuration: What all servers agree on.
    public init(_ runner: some SQLStatementRunner, configuration: SharedStateConfiguration) {
        self.init(SQLEngine(runner, configuration))
    }

    init(_ engine: SQLEngine) {
        self.engine = engine
    }

    /// Returns the user handle of an account, which is created if it has none.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The handle.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func userHandle(ofAccountNamed name: String) async throws -> [UInt8] {
        let parameters: [SQLValue] = [key(of: name), .bytes(of: name), .bytes(SecureRandom.bytes(count: 32))]
        let row = try await engine.call(.passkeyHandle, returning: 1, parameters).row()
        guard case .bytes(let handle) = row[0], 1...64 ~= handle.count else {
            throw SharedStateError(.malformedAnswer)
        }
        return handle
    }

    /// Returns the account of a user handle.
    ///
    /// - Parameter handle: The handle.
    /// - Returns: The name of the account; `nil` if no account has the handle.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func account(ofUserHandle handle: [UInt8]) async throws -> String? {
        let row = try await engine.call(.passkeyOwner, returning: 1, [.bytes(handle)]).row()
        return try row[0] == .null ? nil : PasskeyRow.text(row[0])
    }

    /// Returns the passkeys of an account, in the order in which they were added.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The passkeys.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func credentials(ofAccountNamed name: String) async throws -> [PasskeyCredential] {
        try await credentials(.passkeysOf, key(of: name))
    }

    /// Returns the passkey with an identifier.
    ///
    /// - Parameter id: The identifier.
    /// - Returns: The passkey; `nil` if there is none.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func credential(id: [UInt8]) async throws -> PasskeyCredential? {
        try await credentials(.passkey, .bytes(id)).first
    }

    /// Adds a passkey, unless an account has one with its identifier, or its own account has as many as it may.
    ///
    /// - Parameters:
    ///   - credential: The passkey.
    ///   - limit: The maximum number of passkeys of the account.
    /// - Returns: What happened.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func add(_ credential: PasskeyCredential, limit: Int) async throws -> PasskeyAddition {
        let record = credential.record
        let reply = try await engine.call(
            .addPasskey,
            returning: 1,
            [
                key(of: credential.account), .bytes(record.id), .bytes(record.userHandle),
                .bytes(record.publicKey), .bytes(of: credential.name), .integer(Int64(record.signCount)),
                .integer(PasskeyRow.flags(of: record)),
                .bytes(of: record.transports.joined(separator: "\n")),
                .bytes(record.aaguid), .integer(credential.created.seconds),
                credential.lastUse.map { SQLValue.integer($0.seconds) } ?? .null,
                .integer(Int64(limit)),
            ]
        )
        switch try reply.row() {
        case [.integer(0)]: return .refused
        case [.integer(1)]: return .added
        case [.integer(2)]: return .full
        default: throw SharedStateError(.malformedAnswer)
        }
    }

    /// Stores what a login has shown, if the stored record is still the one that was verified.
    ///
    /// - Parameters:
    ///   - record: The new record.
    ///   - old: The record that was verified.
    ///   - time: The time of the login.
    /// - Returns: Whether it was stored.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func recordUse(
        _ record: WebAuthn.CredentialRecord,
        replacing old: WebAuthn.CredentialRecord,
        at time: UnixTime
    ) async throws -> Bool {
        guard record.id == old.id else { return false }
        return try await engine.call(
            .usePasskey,
            returning: 1,
            [
                .bytes(old.id), .bytes(old.publicKey), .integer(Int64(old.signCount)),
                .integer(PasskeyRow.flags(of: old)), .integer(Int64(record.signCount)),
                .integer(PasskeyRow.flags(of: record)), .integer(time.seconds),
            ]
        )
        .flag()
    }

    /// Renames a passkey.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - account: The name of the account.
    ///   - name: The new name of the passkey.
    /// - Returns: Whether the account has the passkey.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func rename(_ id: [UInt8], ofAccountNamed account: String, to name: String) async throws -> Bool {
        let parameters: [SQLValue] = [key(of: account), .bytes(id), .bytes(of: name)]
        return try await engine.call(.renamePasskey, returning: 1, parameters).flag()
    }

    /// Removes a passkey, unless it is the last one and must stay.
    ///
    /// - Parameters:
    ///   - id: The identifier.
    ///   - account: The name of the account.
    ///   - retainsLast: Whether the last passkey of the account stays.
    /// - Returns: What happened.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func remove(
        _ id: [UInt8],
        ofAccountNamed account: String,
        retainingLast retainsLast: Bool
    ) async throws -> PasskeyRemoval {
        let parameters: [SQLValue] = [key(of: account), .bytes(id), .integer(retainsLast ? 1 : 0)]
        switch try await engine.call(.removePasskey, returning: 1, parameters).row() {
        case [.integer(0)]: return .unknown
        case [.integer(1)]: return .removed
        case [.integer(2)]: return .last
        default: throw SharedStateError(.malformedAnswer)
        }
    }

    /// Removes all passkeys of an account.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The number of passkeys that were removed.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func removeAll(ofAccountNamed name: String) async throws -> Int {
        let row = try await engine.call(.removePasskeys, returning: 1, [key(of: name)]).row()
        guard case .integer(let count) = row[0], let count = Int(exactly: count), count >= 0 else {
            throw SharedStateError(.malformedAnswer)
        }
        return count
    }

    /// Returns how many passkeys an account has, and whether it requires one.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: Both.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func state(ofAccountNamed name: String) async throws -> PasskeyAccountState {
        let row = try await engine.call(.passkeyState, returning: 2, [key(of: name)]).row()
        guard case .integer(let count) = row[0], let count = Int(exactly: count), count >= 0,
            case .integer(let needed) = row[1], 0...1 ~= needed
        else { throw SharedStateError(.malformedAnswer) }
        return PasskeyAccountState(passkeyCount: count, isPasskeyRequired: needed == 1)
    }

    /// Stores whether an account requires a passkey.
    ///
    /// - Parameters:
    ///   - isRequired: Whether it does.
    ///   - name: The name of the account.
    /// - Returns: Whether it was stored.
    /// - Throws: ``SharedStateError``, and what the client throws.
    public func setPasskeyRequired(_ isRequired: Bool, ofAccountNamed name: String) async throws -> Bool {
        let parameters: [SQLValue] = [key(of: name), .integer(isRequired ? 1 : 0)]
        return try await engine.call(.requirePasskey, returning: 1, parameters).flag()
    }

    /// Calls a function that returns passkeys, or one row of `NULL` for none.
    private func credentials(_ function: SQLFunction, _ parameter: SQLValue) async throws
        -> [PasskeyCredential]
    {
        let reply = try await engine.call(function, returning: PasskeyRow.columnCount, [parameter])
        if reply.rows.count == 1, reply.rows[0].first == .null { return [] }
        return try reply.rows.map { row throws(SharedStateError) in try PasskeyRow.credential(Array(row)) }
    }

    private func key(of account: String) -> SQLValue { .bytes(StoreKey("passkeys", account).bytes) }
}

/// A row of passkeys.
private enum PasskeyRow {
    static let columnCount = 11

    private static let verified: Int64 = 1
    private static let eligible: Int64 = 2
    private static let backedUp: Int64 = 4

    static func flags(of record: WebAuthn.CredentialRecord) -> Int64 {
        (record.isUserVerificationInitialized ? verified : 0) | (record.isBackupEligible ? eligible : 0)
            | (record.isBackedUp ? backedUp : 0)
    }

    static func credential(_ row: [SQLValue]) throws(SharedStateError) -> PasskeyCredential {
        let flags = try integer(row[6])
        guard let signCount = UInt32(exactly: try integer(row[5])), 0...7 ~= flags else {
            throw SharedStateError(.malformedAnswer)
        }
        let record = WebAuthn.CredentialRecord(
            id: try bytes(row[0]),
            publicKey: try bytes(row[1]),
            userHandle: try bytes(row[2]),
            signCount: signCount,
            isUserVerificationInitialized: flags & verified != 0,
            isBackupEligible: flags & eligible != 0,
            isBackedUp: flags & backedUp != 0,
            transports: try text(row[7]).split(separator: "\n").map(String.init),
            aaguid: try bytes(row[8])
        )
        return PasskeyCredential(
            account: try text(row[3]),
            record: record,
            name: try text(row[4]),
            created: UnixTime(try integer(row[9])),
            lastUse: try row[10] == .null ? nil : UnixTime(integer(row[10]))
        )
    }

    static func text(_ value: SQLValue) throws(SharedStateError) -> String {
        guard let text = String(validating: try bytes(value), as: UTF8.self) else {
            throw SharedStateError(.malformedAnswer)
        }
        return text
    }

    private static func bytes(_ value: SQLValue) throws(SharedStateError) -> [UInt8] {
        guard case .bytes(let bytes) = value else { throw SharedStateError(.malformedAnswer) }
        return bytes
    }

    private static func integer(_ value: SQLValue) throws(SharedStateError) -> Int64 {
        guard case .integer(let number) = value else { throw SharedStateError(.malformedAnswer) }
        return number
    }
}
