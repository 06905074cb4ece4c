// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The options that `md5sum --check` has.
struct ChecksumCheckOptions: ParsableArguments {
    @Flag(help: "Pass over files that are not there.")
    var ignoreMissing = false

    @Flag(help: "Print nothing for files that match.")
    var quiet = false

    @Flag(help: "Print no result at all; the exit status tells.")
    var status = false

    @Flag(help: "Fail for lines that are not properly formatted, too.")
    var strict = false

    @Flag(name: .shortAndLong, help: "Name each line that is not properly formatted.")
    var warn = false

    /// The name of an option that is set, if there is one.
    var firstSet: String? {
        let options = [
            (ignoreMissing, "--ignore-missing"), (quiet, "--quiet"), (status, "--status"),
            (strict, "--strict"), (warn, "--warn"),
        ]
        return options.first { isSet, _ in isSet }?.1
    }
}
