// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options that `md5sum --check` has.
struct ChecksumCheckOptions: ParsableArguments {
    /// How much is said; of several the last one holds.
    enum Report: EnumerableFlag {
        case quiet, status, warn

        static func name(for value: Report) -> NameSpecification {
            value == .warn ? .shortAndLong : .long
        }

        static func help(for value: Report) -> ArgumentHelp? {
            switch value {
            case .quiet: "Print nothing for files that match."
            case .status: "Print no result at all; the exit status tells."
            case .warn: "Name each line that is not properly formatted."
            }
        }
    }

    @Flag(help: "Pass over files that are not there.")
    var ignoreMissing = false

    @Flag(exclusivity: .chooseLast)
    var report: Report?

    @Flag(help: "Fail for lines that are not properly formatted, too.")
    var strict = false

    /// The name of an option that is set, if there is one.
    var firstSet: String? {
        if let report { return "--\(report)" }
        return ignoreMissing ? "--ignore-missing" : strict ? "--strict" : nil
    }
}
