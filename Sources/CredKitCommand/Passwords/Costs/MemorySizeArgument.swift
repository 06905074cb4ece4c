// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// A size of memory: `64MiB`, `65536KiB`, `1GiB`.
struct MemorySizeArgument: ExpressibleByArgument, CustomStringConvertible {
    private static let units = [("GiB", 1 << 20), ("MiB", 1 << 10), ("KiB", 1)]

    let kibibytes: Int

    init(kibibytes: Int) { self.kibibytes = kibibytes }

    init?(argument: String) {
        guard let (_, factor) = Self.units.first(where: { argument.hasSuffix($0.0) }),
            let number = Int(argument.dropLast(3)), number > 0
        else { return nil }
        let (kibibytes, isOverflow) = number.multipliedReportingOverflow(by: factor)
        guard !isOverflow, kibibytes < 1 << 40 else { return nil }
        self.kibibytes = kibibytes
    }

    /// The size in the largest unit that gives a whole number.
    var description: String {
        let (unit, factor) = Self.units.first { kibibytes >= $0.1 && kibibytes % $0.1 == 0 } ?? ("KiB", 1)
        return "\(kibibytes / factor)\(unit)"
    }
}
