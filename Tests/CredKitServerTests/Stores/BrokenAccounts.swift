// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// A table of users with a fault.
actor BrokenAccounts: WritableAccounts {
    enum Fault: CaseIterable {
        case overwrites, comparesNamesAsStrings, looksFirst, removesNothing, cutsNames

        var message: String {
            switch self {
            case .overwrites: "an unknown account"
            case .comparesNamesAsStrings: "a hostile name"
            case .looksFirst: "simultaneous changes"
            case .removesNothing: "an account must be removed once"
            case .cutsNames: "a name with NUL"
            }
        }
    }

    private let fault: Fault
    private let table = InMemoryAccounts([])
    private var names: Set<String> = []
    private var calls = 0

    init(_ fault: Fault) { self.fault = fault }

    func account(named name: String) async throws -> LoginAccount? {
        guard let found = table.account(named: stored(name)) else { return nil }
        return LoginAccount(name: name, credential: found.credential)
    }

    func replace(
        _ credential: StoredCredential,
        with newer: StoredCredential,
        ofAccountNamed name: String
    ) async throws {
        table.replace(credential, with: newer, ofAccountNamed: stored(name))
    }

    func set(
        _ newer: StoredCredential,
        inPlaceOf old: StoredCredential?,
        ofAccountNamed name: String
    ) async throws -> Bool {
        let name = stored(name)
        let present = table.account(named: name)?.credential
        if fault == .overwrites { return table.set(newer, inPlaceOf: present, ofAccountNamed: name) }
        guard present == old else { return false }
        // The suite has as many simultaneous calls, which all see the old credential.
        if fault == .looksFirst, newer.text.hasSuffix(String(repeating: "a", count: 30)) {
            calls += 1
            while calls < 64 { await Task.yield() }
        }
        return table.set(newer, inPlaceOf: table.account(named: name)?.credential, ofAccountNamed: name)
    }

    func remove(accountNamed name: String) async throws -> Bool {
        if fault == .removesNothing { return table.account(named: stored(name)) != nil }
        return table.remove(accountNamed: stored(name))
    }

    func accountNames() async throws -> [String] { table.accountNames() }

    private func stored(_ name: String) -> String {
        switch fault {
        // The first spelling of a name, as a dictionary with `String` keys has it.
        case .comparesNamesAsStrings: names.insert(name).memberAfterInsert
        case .cutsNames: String(name.prefix { $0 != "\0" })
        default: name
        }
    }
}
