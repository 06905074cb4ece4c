// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The links that were marked as used, and whose passwords could then not be stored. They stay valid at this process.
final class UnspentLinks: Sendable {
    private let keys = Lock<Set<StoreKey>>([])

    func insert(_ key: StoreKey) { keys.withLock { _ = $0.insert(key) } }

    /// Removes a link. Returns whether it was there.
    func remove(_ key: StoreKey) -> Bool { keys.withLock { $0.remove(key) != nil } }
}
