// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// A cost of a scheme as given on the command line: `passes=3`, `memory=64MiB`.
struct CostArgument {
    let name: String
    let value: Int
    /// Whether it has a unit of memory.
    let isMemory: Bool

    /// Parses a cost; `nil` if the text is not a cost.
    init?(_ text: String) {
        let pair = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, !pair[0].isEmpty else { return nil }
        let size = MemorySizeArgument(argument: String(pair[1]))
        guard let value = Int(pair[1]) ?? size?.kibibytes else { return nil }
        name = String(pair[0])
        isMemory = size != nil
        self.value = value
    }

    /// Returns a scheme with the costs that were given, and recommended values for all others.
    static func parameters(
        of scheme: PasswordHash.Scheme,
        _ texts: [String]
    ) throws -> PasswordParameters {
        var costs: [String: Int] = [:]
        let known = PasswordParameters.costs(of: scheme)
        for text in texts {
            guard let cost = CostArgument(text),
                known.contains(where: { $0.name == cost.name && ($0.isMemory || !cost.isMemory) })
            else {
                // The text may be a password.
                let names = known.map { "\($0.name)=…" }.joined(separator: ", ")
                throw ValidationError(
                    "\(UnexpectedArguments.error.message) The costs of \(scheme) are \(names)."
                )
            }
            guard costs.updateValue(cost.value, forKey: cost.name) == nil else {
                throw ValidationError("The cost \(cost.name) is given twice.")
            }
        }
        do throws(PasswordError) {
            return try PasswordParameters(scheme, costs: costs)
        } catch {
            throw ValidationError("\(error).")
        }
    }

    /// Returns the costs of a scheme with their recommended values and meanings, for the help.
    static func help(of scheme: PasswordHash.Scheme) -> String {
        PasswordParameters.costs(of: scheme).map { cost in
            let value = cost.isMemory ? "\(cost.recommended)KiB" : "\(cost.recommended)"
            return "\(cost.name)=\(value) (\(cost.meaning))"
        }.joined(separator: ", ")
    }
}

/// A size of memory: `64MiB`, `65536KiB`, `1GiB`.
struct MemorySizeArgument: ExpressibleByArgument {
    let kibibytes: Int

    init?(argument: String) {
        let units = ["KiB": 1, "MiB": 1024, "GiB": 1024 * 1024]
        guard let unit = units.first(where: { argument.hasSuffix($0.key) }),
            let number = Int(argument.dropLast(3)), number > 0
        else { return nil }
        let (kibibytes, isOverflow) = number.multipliedReportingOverflow(by: unit.value)
        guard !isOverflow, kibibytes < 1 << 40 else { return nil }
        self.kibibytes = kibibytes
    }
}
