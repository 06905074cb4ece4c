// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// A challenge store with a fault.
actor BrokenChallengeStore: ChallengeStore {
    enum Fault: CaseIterable {
        case readsThenRemoves, neverExpires, sharesAllChallenges, comparesAsStrings

        var message: String {
            switch self {
            case .readsThenRemoves: "exactly one must consume"
            case .neverExpires: "after the expiry"
            case .sharesAllChallenges: "the oldest first"
            case .comparesAsStrings: "hostile challenge"
            }
        }
    }

    private let fault: Fault
    private let store: InMemoryChallengeStore
    private var calls: [String: Int] = [:]
    private static let everyClient = StoreKey("every client")

    init(_ fault: Fault, _ store: InMemoryChallengeStore) {
        self.fault = fault
        self.store = store
    }

    func remember(_ challenge: String, of client: StoreKey, lifetime: Duration, perClientLimit: Int)
        async throws
    {
        store.remember(
            challenge,
            of: fault == .sharesAllChallenges ? Self.everyClient : client,
            lifetime: fault == .neverExpires ? .seconds(3600) : lifetime,
            perClientLimit: perClientLimit
        )
    }

    func challenges(of client: StoreKey) async throws -> [String] {
        store.challenges(of: fault == .sharesAllChallenges ? Self.everyClient : client)
    }

    func consume(_ challenge: String, of client: StoreKey) async throws -> Bool {
        switch fault {
        case .readsThenRemoves:
            let isThere = store.challenges(of: client).contains(challenge)
            // Another call for the same challenge runs meanwhile, if there is one.
            calls[challenge, default: 0] += 1
            for _ in 0..<10_000 where calls[challenge] == 1 { await Task.yield() }
            _ = store.consume(challenge, of: client)
            return isThere
        case .comparesAsStrings:
            // The last of the equal strings is removed, whose bytes may differ.
            guard let found = store.challenges(of: client).last(where: { $0 == challenge }) else {
                return false
            }
            return store.consume(found, of: client)
        case .neverExpires: return store.consume(challenge, of: client)
        case .sharesAllChallenges: return store.consume(challenge, of: Self.everyClient)
        }
    }
}
