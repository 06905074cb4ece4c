// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer
internal import CredKitSystem

/// The counters of one-time codes in the memory of a test. A server needs a store that survives a restart: otherwise used
/// codes become valid again.
public final class InMemoryCounterStore: OneTimeCodeCounterStore {
    private let counters = Lock<[[UInt8]: UInt64]>([:])

    /// Creates an empty store.
    public init() {}

    /// Returns the counter of an account; `nil` if none was stored.
    public func counter(of account: String) -> UInt64? {
        counters.withLock { $0[Array(account.utf8)] }
    }

    /// Stores a counter if it is greater than the stored one. Returns whether it was stored.
    public func advance(to counter: UInt64, of account: String) -> Bool {
        counters.withLock { counters in
            guard counters[Array(account.utf8)].map({ $0 < counter }) ?? true else { return false }
            counters[Array(account.utf8)] = counter
            return true
        }
    }
}
