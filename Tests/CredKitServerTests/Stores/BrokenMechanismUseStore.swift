// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer

/// A store of counts in memory, with or without a fault.
actor BrokenMechanismUseStore: MechanismUseStore {
    enum Fault: CaseIterable {
        case keepsTheLastAddition, takesTheLastTime, comparesAsText, ignoresTheTime, readsOnePage,
            checksThenSets

        var message: String {
            switch self {
            case .keepsTheLastAddition, .takesTheLastTime, .checksThenSets: "the counts of a mechanism"
            case .comparesAsText: "names must be returned byte for byte"
            case .ignoresTheTime: "the accounts of the last 9 seconds"
            case .readsOnePage: "all of 2000 accounts"
            }
        }
    }

    private struct Use {
        var logins = 0
        var lastUse = UnixTime(0)
        var accounts: [[UInt8]: UnixTime] = [:]
    }

    private let fault: Fault?
    private var uses: [String: Use] = [:]

    init(_ fault: Fault?) { self.fault = fault }

    func add(_ addition: MechanismUse.Addition) async {
        var use = uses[addition.mechanism] ?? Use()
        // Another call runs meanwhile, if there is one.
        if fault == .checksThenSets { for _ in 0..<100 { await Task.yield() } }
        use.logins = addition.logins + (fault == .keepsTheLastAddition ? 0 : use.logins)
        use.lastUse = fault == .takesTheLastTime ? addition.lastUse : max(use.lastUse, addition.lastUse)
        for account in addition.accounts {
            var name = Array(account.account.utf8)
            if fault == .comparesAsText {
                name =
                    use.accounts.keys.first { String(decoding: $0, as: UTF8.self) == account.account } ?? name
            }
            use.accounts[name] = max(use.accounts[name] ?? account.lastUse, account.lastUse)
        }
        uses[addition.mechanism] = use
    }

    func counts() -> [MechanismUse.Count] {
        uses.map { name, use in
            .init(mechanism: name, logins: use.logins, accounts: use.accounts.count, lastUse: use.lastUse)
        }
        .sorted { $0.mechanism < $1.mechanism }
    }

    func accounts(using mechanism: String, since start: UnixTime) -> [String] {
        let names = (uses[mechanism]?.accounts ?? [:])
            .filter { fault == .ignoresTheTime || $0.value >= start }
            .map { String(decoding: $0.key, as: UTF8.self) }
            .sorted()
        return fault == .readsOnePage ? Array(names.prefix(500)) : names
    }
}
