// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTerminal

/// A key of one-time codes in the keychain: an item whose secret is its `otpauth://` URI.
///
/// It has a purpose of its own. Otherwise a program that asks for the password of the same service and account could get the
/// seed, and send it to a server. The service begins with `otp:`, for people.
struct OneTimeCodeItem {
    private static let servicePrefix = "otp:"
    /// The time to wait for other programs that change a counter.
    private static let lockTimeout = Duration.seconds(30)

    let key: OneTimeCodeKey
    private let item: CredentialItem

    /// Returns the key under which the item of a service and account is stored.
    static func credentialKey(_ arguments: ItemArguments) throws -> CredentialKey {
        credentialKey(try arguments.key())
    }

    /// Returns the key under which the item of a service and account is stored.
    static func credentialKey(_ key: CredentialKey) -> CredentialKey {
        CredentialKey(
            .oneTimeCode,
            service: servicePrefix + key.service,
            account: key.account,
            attributes: key.attributes
        )
    }

    /// Creates an item to be stored.
    init(_ key: OneTimeCodeKey, for arguments: ItemArguments) throws {
        self.key = key
        let names = [arguments.service] + [arguments.account].compactMap { $0 }
        // The label has a limit, which the names alone can reach.
        let label = names.joined(separator: " ").utf8.prefix(200)
        item = CredentialItem(
            key: try Self.credentialKey(arguments),
            label: "One-time codes for \(String(label) ?? "a service")"
        )
    }

    private init(_ key: OneTimeCodeKey, _ item: CredentialItem) {
        self.key = key
        self.item = item
    }

    /// Reads the item with a key of ``credentialKey(_:)-(ItemArguments)``.
    ///
    /// - Throws: ``CommandFailure`` when there is no such item, or it has no URI.
    static func load(_ key: CredentialKey, from keychain: Keychain) async throws -> OneTimeCodeItem {
        guard let credential = try await keychain.credential(for: key) else { throw missing(key) }
        do throws(OneTimeCodeError) {
            return OneTimeCodeItem(try OneTimeCodeKey(uri: credential.secret), credential.item)
        } catch {
            throw CommandFailure(.malformed, "cannot read the item \(shown(key)): \(error)")
        }
    }

    /// The failure for an item that does not exist.
    static func missing(_ key: CredentialKey) -> CommandFailure {
        CommandFailure(.no, "there is no item \(shown(key))")
    }

    /// Service, account and further attributes, as the user knows them.
    private static func shown(_ key: CredentialKey) -> String {
        var key = key
        key.attributes[CredentialKey.purposeName] = nil
        return ShellQuoting.escapingUnprintable("\(key)")
    }

    /// Stores the item.
    func store(in keychain: Keychain) async throws {
        try await keychain.set(Credential(item: item, secret: key.uri()))
    }

    /// Returns the item with another counter.
    func withCounter(_ counter: UInt64) throws -> OneTimeCodeItem {
        OneTimeCodeItem(try key.withCounter(counter), item)
    }

    /// Changes the counter of an item, while no other program does. The item is stored before the result is used.
    ///
    /// - Parameters:
    ///   - key: The key of the item.
    ///   - keychain: The keychain.
    ///   - change: Returns a result and the new counter; no counter leaves the item as it is.
    /// - Returns: The result.
    /// - Throws: ``CommandFailure``, ``KeychainError``, or an error of `change`.
    static func changeCounter<Result: Sendable>(
        _ key: CredentialKey,
        in keychain: Keychain,
        _ change: (OneTimeCodeKey) throws -> (Result, counter: UInt64?)
    ) async throws -> Result {
        let lock = try await ActivityLock.acquire(.counter, timeout: lockTimeout)
        // Read again: another program may have changed it before the lock was acquired.
        let item = try await load(key, from: keychain)
        let (result, counter) = try change(item.key)
        if let counter { try await item.withCounter(counter).store(in: keychain) }
        lock.release()
        return result
    }
}
