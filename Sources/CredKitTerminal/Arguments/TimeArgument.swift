// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A length of time: `250ms`, `90s`, `15m`, `8h`, `1d`; a number without a unit means seconds.
package struct TimeArgument: ExpressibleByArgument {
    package let duration: Duration

    package init?(argument: String) {
        let units: [(String, Double)] = [
            ("ms", 0.001), ("s", 1), ("m", 60), ("h", 3600), ("d", 86400), ("", 1),
        ]
        guard let (unit, seconds) = units.first(where: { argument.hasSuffix($0.0) }),
            let first = argument.utf8.first, (48...57).contains(first),
            let number = Double(argument.dropLast(unit.count)), number > 0, number * seconds <= 31_622_400
        else { return nil }
        duration = .milliseconds(Int64((number * seconds * 1000).rounded(.up)))
    }
}
