// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// A session store with a fault.
actor BrokenSessionStore: SessionStore {
    enum Fault: CaseIterable {
        case comparesUsersAsStrings, ignoresUse, checksTheLimitFirst, revokesNothing, listsOldestFirst,
            keepsNothing, keepsWhatHasEnded

        var message: String {
            switch self {
            case .comparesUsersAsStrings: "a hostile name"
            case .ignoresUse: "a session in use"
            case .checksTheLimitFirst: "simultaneous sessions"
            case .revokesNothing: "a session of a user whose sessions were revoked"
            case .listsOldestFirst: "the newest first"
            case .keepsNothing: "the session that was kept"
            case .keepsWhatHasEnded: "all but a session that has ended"
            }
        }
    }

    private let fault: Fault
    private let store: InMemorySessionStore
    private var names: Set<String> = []
    private var calls = 0

    init(_ fault: Fault, _ store: InMemorySessionStore) {
        self.fault = fault
        self.store = store
    }

    func create(_ session: StoreKey, of user: String, limits: SessionLimits) async throws -> Bool {
        var limits = limits
        if fault == .ignoresUse { limits.lifetime = min(limits.lifetime, limits.idleLifetime) }
        if fault == .checksTheLimitFirst, limits.perUserLimit == 32 {
            // The 64 simultaneous calls all see that the user has no session, so that none is ended.
            calls += 1
            while calls < 64 { await Task.yield() }
            limits.perUserLimit = 1 << 16
        }
        return store.create(session, of: name(user), limits: limits)
    }

    func user(of session: StoreKey) async throws -> String? { store.user(of: session) }

    func revoke(_ session: StoreKey) async throws { store.revoke(session) }

    func revokeAll(of user: String) async throws {
        if fault != .revokesNothing { store.revokeAll(of: name(user)) }
    }

    func revokeOthers(of user: String, retaining session: StoreKey) async throws {
        switch fault {
        case .keepsNothing: store.revokeAll(of: name(user))
        case .keepsWhatHasEnded where store.user(of: session) == nil: break
        default: store.revokeOthers(of: name(user), retaining: session)
        }
    }

    func sessions(of user: String) async throws -> [StoredSession] {
        let sessions = store.sessions(of: name(user))
        return fault == .listsOldestFirst ? sessions.reversed() : sessions
    }

    /// The first spelling of a name, as a dictionary with `String` keys has it.
    private func name(_ user: String) -> String {
        guard fault == .comparesUsersAsStrings else { return user }
        return names.insert(user).memberAfterInsert
    }
}
