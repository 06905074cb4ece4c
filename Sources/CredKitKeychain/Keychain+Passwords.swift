// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension Keychain {
    /// Stores a password or another text, in place of the one that service and account had.
    ///
    /// - Parameters:
    ///   - password: The password.
    ///   - service: What it is for.
    ///   - account: Whose it is, or `nil`.
    ///   - label: What people see in a list; made from service and account if `nil`.
    /// - Throws: ``KeychainError``; then nothing was stored.
    public func setPassword(
        _ password: some SecretInput,
        service: String,
        account: String?,
        label: String? = nil
    ) async throws(KeychainError) {
        let secret: SecretBytes
        do throws(SecretMemoryError) {
            secret = try SecretBytes(password)
        } catch {
            throw .outOfMemory
        }
        let key = CredentialKey(service: service, account: account)
        try await set(Credential(item: CredentialItem(key: key, label: label), secret: secret))
    }

    /// The password of a service and account.
    ///
    /// - Parameters:
    ///   - service: What it is for.
    ///   - account: Whose it is, or `nil` for the item without an account.
    /// - Returns: The password, or `nil` if there is none.
    /// - Throws: ``KeychainError``.
    public func password(service: String, account: String?) async throws(KeychainError) -> SecretBytes? {
        try await credential(for: CredentialKey(service: service, account: account))?.secret
    }

    /// The password of a service and account as a `String`, which lies on the heap and is not wiped; prefer
    /// ``password(service:account:)`` where bytes will do.
    ///
    /// - Parameters:
    ///   - service: What it is for.
    ///   - account: Whose it is, or `nil` for the item without an account.
    /// - Returns: The text, or `nil` if there is none.
    /// - Throws: ``KeychainError``; ``KeychainError/invalid`` if the secret is not UTF-8.
    public func text(service: String, account: String?) async throws(KeychainError) -> String? {
        guard let secret = try await password(service: service, account: account) else { return nil }
        let text = secret.withSecretBytes { bytes in
            String(validating: bytes.indices.map { bytes[$0] }, as: UTF8.self)
        }
        guard let text else { throw .invalid("the secret is no text: it is not UTF-8") }
        return text
    }

    /// Deletes the password of a service and account.
    ///
    /// - Parameters:
    ///   - service: What it is for.
    ///   - account: Whose it is, or `nil` for the item without an account.
    /// - Returns: Whether there was one.
    /// - Throws: ``KeychainError``.
    @discardableResult
    public func deletePassword(service: String, account: String?) async throws(KeychainError) -> Bool {
        try await delete(CredentialKey(service: service, account: account))
    }

    /// The accounts of a service that have a password.
    ///
    /// - Parameter service: The service.
    /// - Returns: The accounts, sorted, each once.
    /// - Throws: ``KeychainError``.
    public func accounts(service: String) async throws(KeychainError) -> [String] {
        var accounts: [String] = []
        for item in try await items(service: service) {
            if let account = item.account, accounts.last != account { accounts.append(account) }
        }
        return accounts
    }

    /// All accounts of all services, with what is known of them besides the password.
    ///
    /// - Returns: The items that have a service and an account, sorted by both.
    /// - Throws: ``KeychainError``.
    public func allAccounts() async throws(KeychainError) -> [CredentialItem] {
        try await items().filter { $0.account != nil && !$0.service.isEmpty }
    }
}
