// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension Keychain {
    /// Stores a password or another text, and replaces the one of the same service and account.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - service: The service that the password is for.
    ///   - account: The account, or `nil`.
    ///   - label: The label that lists display; `nil` to derive it from service and account.
    /// - Throws: ``KeychainError``; nothing was stored then.
    public func setPassword(
        _ password: some SecretInput,
        service: String,
        account: String?,
        label: String? = nil
    ) async throws(KeychainError) {
        let secret = try convertingMemory(SecretBytes(password))
        let key = CredentialKey(service: service, account: account)
        try await set(Credential(item: CredentialItem(key: key, label: label), secret: secret))
    }

    /// Returns the password of a service and account.
    ///
    /// - Parameters:
    ///   - service: The service that the password is for.
    ///   - account: The account, or `nil` for the item without an account.
    /// - Returns: The password, or `nil` if there is none.
    /// - Throws: ``KeychainError``.
    public func password(service: String, account: String?) async throws(KeychainError) -> SecretBytes? {
        try await credential(for: CredentialKey(service: service, account: account))?.secret
    }

    /// Returns the password of a service and account as a `String`, which is on the heap and is not wiped. Prefer
    /// ``password(service:account:)`` if bytes are sufficient.
    ///
    /// - Parameters:
    ///   - service: The service that the password is for.
    ///   - account: The account, or `nil` for the item without an account.
    /// - Returns: The text, or `nil` if there is none.
    /// - Throws: ``KeychainError``; ``KeychainError/invalid`` if the secret is not UTF-8.
    public func text(service: String, account: String?) async throws(KeychainError) -> String? {
        guard let secret = try await password(service: service, account: account) else { return nil }
        let text = secret.withSecretBytes { bytes in
            String(validating: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        guard let text else { throw .invalid("the secret is not a text: it is not UTF-8") }
        return text
    }

    /// Deletes the password of a service and account.
    ///
    /// - Parameters:
    ///   - service: The service that the password is for.
    ///   - account: The account, or `nil` for the item without an account.
    /// - Returns: Whether there was one.
    /// - Throws: ``KeychainError``.
    @discardableResult
    public func deletePassword(service: String, account: String?) async throws(KeychainError) -> Bool {
        try await delete(CredentialKey(service: service, account: account))
    }

    /// Returns the accounts of a service that have a password.
    ///
    /// - Parameter service: The service.
    /// - Returns: The accounts, sorted, without duplicates.
    /// - Throws: ``KeychainError``.
    public func accounts(service: String) async throws(KeychainError) -> [String] {
        var accounts: [String] = []
        var known: Set<[UInt8]> = []
        for item in try await items(service: service) {
            if let account = item.account, known.insert(Array(account.utf8)).inserted {
                accounts.append(account)
            }
        }
        return accounts
    }

    /// Returns all accounts of all services, without the passwords.
    ///
    /// - Returns: The items that have a service and an account, sorted by both.
    /// - Throws: ``KeychainError``.
    public func allAccounts() async throws(KeychainError) -> [CredentialItem] {
        try await items().filter { $0.account != nil && !$0.service.isEmpty }
    }
}
