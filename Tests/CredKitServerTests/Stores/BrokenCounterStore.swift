// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// A store of counters with a fault.
actor BrokenCounterStore: OneTimeCodeCounterStore {
    enum Fault: CaseIterable {
        case goesBack, checksThenSets, comparesAsText

        var message: String {
            switch self {
            case .goesBack: "must return false"
            case .checksThenSets: "one of many calls must store"
            case .comparesAsText: "accounts with different bytes"
            }
        }
    }

    private let fault: Fault
    private var counters: [[UInt8]: UInt64] = [:]
    private var calls: [UInt64: Int] = [:]

    init(_ fault: Fault) { self.fault = fault }

    private func name(_ account: String) -> [UInt8] {
        // The first of all names that Swift compares as equal.
        let same = counters.keys.first { String(decoding: $0, as: UTF8.self) == account }
        return fault == .comparesAsText ? same ?? Array(account.utf8) : Array(account.utf8)
    }

    func counter(of account: String) -> UInt64? { counters[name(account)] }

    func advance(to counter: UInt64, of account: String) async -> Bool {
        let name = name(account)
        if fault != .goesBack, let stored = counters[name], stored >= counter { return false }
        if fault == .checksThenSets {
            // Another call for the same counter runs meanwhile, if there is one.
            calls[counter, default: 0] += 1
            for _ in 0..<10_000 where calls[counter] == 1 { await Task.yield() }
        }
        counters[name] = counter
        return true
    }
}
