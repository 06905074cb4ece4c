// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// A rate store with a fault.
actor BrokenRateStore: RateStore {
    enum Fault: CaseIterable {
        case chargesOneByOne, answersNoWait, checksThenSets, ignoresResets

        var message: String {
            switch self {
            case .chargesOneByOne: "an address after attempts that were limited by the account"
            case .answersNoWait: "limited for a while"
            case .checksThenSets: "exactly 10 must be allowed"
            case .ignoresResets: "a key that was reset"
            }
        }
    }

    private let fault: Fault
    private let store: InMemoryRateStore
    private var attempts: [StoreKey: Int] = [:]
    private var calls = 0

    init(_ fault: Fault, _ store: InMemoryRateStore) {
        self.fault = fault
        self.store = store
    }

    func charge(_ charges: [RateCharge]) async throws -> RateLimitResult {
        switch fault {
        case .chargesOneByOne:
            for charge in charges {
                let result = store.charge([charge])
                guard result == .allowed else { return result }
            }
            return .allowed
        case .answersNoWait:
            let result = store.charge(charges)
            return result == .allowed ? .allowed : .limited(retryAfter: .zero)
        case .checksThenSets:
            // The burst of the first check is right, so that the concurrent one is reached.
            guard charges.count == 2, charges[1].limit.attempts == 10 else { return store.charge(charges) }
            let key = charges[1].key
            let count = attempts[key] ?? 0
            guard count < charges[1].limit.attempts else { return .limited(retryAfter: .seconds(1)) }
            // The 64 simultaneous calls all see the same count.
            calls += 1
            while calls < 64 { await Task.yield() }
            attempts[key] = count + 1
            return .allowed
        case .ignoresResets: return store.charge(charges)
        }
    }

    func reset(_ key: StoreKey) async throws {
        if fault != .ignoresResets { store.reset(key) }
    }
}
