// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What an item may have at most, in every store.
enum StoreLimits {
    /// Bytes of the UTF-8 of a service, account, label, content type, attribute name or value.
    static let nameByteCount = 4096
    /// Further attributes of an item.
    static let attributeCount = 64
    /// Bytes of a secret.
    static let secretByteCount = 1 << 20
}
