// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// A replay store with a fault.
actor BrokenReplayStore: ReplayStore {
    enum Fault: CaseIterable {
        case checksThenSets, forgetsAtOnce, forgetsWhenFull, ignoresStart

        var message: String {
            switch self {
            case .checksThenSets: "exactly one must be accepted"
            case .forgetsAtOnce: "a used proof must be replayed"
            case .forgetsWhenFull: "over the limit must be unavailable"
            case .ignoresStart: "older than the store"
            }
        }
    }

    private let fault: Fault
    private let store: InMemoryReplayStore
    private var used: Set<StoreKey> = []
    private var calls: [StoreKey: Int] = [:]

    init(_ fault: Fault, _ store: InMemoryReplayStore) {
        self.fault = fault
        self.store = store
    }

    func markUsed(
        _ key: StoreKey,
        account: StoreKey,
        lifetime: Duration,
        challengeAge: Duration
    ) async throws -> ReplayDecision {
        switch fault {
        case .checksThenSets:
            guard lifetime > .zero, !used.contains(key) else { return .replayed }
            // Another call for the same key runs meanwhile, if there is one.
            calls[key, default: 0] += 1
            for _ in 0..<10_000 where calls[key] == 1 { await Task.yield() }
            used.insert(key)
            return .accepted
        case .forgetsAtOnce: return lifetime > .zero ? .accepted : .replayed
        case .forgetsWhenFull:
            let decision = store.markUsed(
                key,
                account: account,
                lifetime: lifetime,
                challengeAge: challengeAge
            )
            if case .unavailable = decision { return .accepted }
            return decision
        case .ignoresStart:
            return store.markUsed(key, account: account, lifetime: lifetime, challengeAge: .zero)
        }
    }
}
