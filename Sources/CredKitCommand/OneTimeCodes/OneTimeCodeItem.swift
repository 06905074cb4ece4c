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
    let item: CredentialItem

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

    /// Returns service, account and further attributes of an item as the user knows them: the opposite of
    /// ``credentialKey(_:)-(CredentialKey)``.
    static func publicKey(_ key: CredentialKey) -> CredentialKey {
        var key = key
        key.attributes[CredentialKey.purposeName] = nil
        if key.service.utf8.starts(with: servicePrefix.utf8) {
            key.service = String(Substring(key.service.utf8.dropFirst(servicePrefix.utf8.count)))
        }
        return key
    }

    /// Creates an item to be stored.
    ///
    /// - Parameters:
    ///   - key: The key of one-time codes.
    ///   - place: Service, account and further attributes as the user knows them.
    init(_ key: OneTimeCodeKey, at place: CredentialKey) {
        self.key = key
        let names = [place.service] + [place.account].compactMap { $0 }
        // The label has a limit, which the names alone can reach.
        let label = names.joined(separator: " ").utf8.prefix(200)
        item = CredentialItem(
            key: Self.credentialKey(place),
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
        guard let credential = try await keychain.credential(for: key) else {
            throw await CommandFailure.missingItem(key, in: keychain, isQuiet: false)
        }
        do throws(OneTimeCodeError) {
            return OneTimeCodeItem(try OneTimeCodeKey(uri: credential.secret), credential.item)
        } catch {
            throw CommandFailure(.malformed, "cannot read the item \(key.nameForPeople): \(error)")
        }
    }

    /// Returns the item with its URI as the secret.
    func credential() throws -> Credential { Credential(item: item, secret: try key.uri()) }

    /// Stores the item.
    func store(in keychain: Keychain) async throws {
        try await keychain.set(credential())
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

extension OneTimeCodeKey.Kind {
    /// What the kind of codes is in the output of `otp list` and `otp uri`: `totp` with the period in seconds, or `hotp` with
    /// the counter of the next code.
    var listed: (type: String, period: Int64?, counter: UInt64?) {
        switch self {
        case .time(let period): ("totp", period.components.seconds, nil)
        case .counter(let next): ("hotp", nil, next)
        }
    }
}
