// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

extension Keychain {
    /// Stores a value as JSON, and replaces the item of the same service and account.
    ///
    /// The JSON passes through ordinary memory, which is not wiped.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - service: The service that the value is for.
    ///   - account: The account, or `nil`.
    ///   - label: The label that lists display; `nil` to derive it from service and account.
    /// - Throws: ``KeychainError``; ``KeychainError/invalid`` if the value cannot be encoded.
    public func setValue(
        _ value: some Encodable,
        service: String,
        account: String?,
        label: String? = nil
    ) async throws(KeychainError) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        guard let json = try? encoder.encode(value), let secret = try? SecretBytes(Array(json)) else {
            throw .invalid("a value of the type \(type(of: value)) cannot be encoded")
        }
        let key = CredentialKey(service: service, account: account)
        let item = CredentialItem(key: key, label: label, contentType: "application/json")
        try await set(Credential(item: item, secret: secret))
    }

    /// Returns the value that was stored as JSON for a service and account.
    ///
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - service: The service that the value is for.
    ///   - account: The account, or `nil` for the item without an account.
    /// - Returns: The value, or `nil` if there is none.
    /// - Throws: ``KeychainError``; ``KeychainError/invalid`` if the stored secret is not such a value.
    public func value<Value: Decodable>(
        _ type: Value.Type = Value.self,
        service: String,
        account: String?
    ) async throws(KeychainError) -> Value? {
        guard let secret = try await password(service: service, account: account) else { return nil }
        let json = secret.withSecretBytes { bytes in Data(bytes.indices.map { bytes[$0] }) }
        guard let value = try? JSONDecoder().decode(type, from: json) else {
            throw .invalid("the secret stored for '\(service)' is not a value of the type \(type)")
        }
        return value
    }
}
