// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The limits of an item, in every store.
enum StoreLimits {
    /// The maximum size of a service, account, label, content type, attribute name or value, in bytes of UTF-8.
    static let nameByteCount = 4096
    /// The maximum number of further attributes of an item.
    static let attributeCount = 64
    /// The maximum size of a secret in bytes.
    static let secretByteCount = 1 << 20
    /// The maximum size of a secret that is accepted from a Secret Service, where other programs may have stored it.
    static let receivedSecretByteCount = 16 << 20
    /// The maximum number of items that a Secret Service may list.
    static let listedItemCount = 100_000
}
