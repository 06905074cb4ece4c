// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options of `md5sum --check`.
struct ChecksumCheckOptions: ParsableArguments {
    /// The amount of output. If several are given, the last one applies.
    enum Report: EnumerableFlag {
        case quiet, status, warn

        static func name(for value: Report) -> NameSpecification {
            value == .warn ? .shortAndLong : .long
        }

        static func help(for value: Report) -> ArgumentHelp? {
            switch value {
            case .quiet: "Print nothing for files that match."
            case .status: "Print no results at all; check the exit status."
            case .warn: "Name each line that is not properly formatted."
            }
        }
    }

    @Flag(help: "Ignore missing files.")
    var ignoreMissing = false

    @Flag(exclusivity: .chooseLast)
    var report: Report?

    @Flag(help: "Also fail for lines that are not properly formatted.")
    var strict = false

    /// The name of an option that is set, if there is one.
    var firstSet: String? {
        if let report { return "--\(report)" }
        return ignoreMissing ? "--ignore-missing" : strict ? "--strict" : nil
    }
}
