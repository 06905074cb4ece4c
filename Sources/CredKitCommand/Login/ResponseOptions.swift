// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient

/// The options for what is shown of a response, and for stored ones.
struct ResponseOptions: ParsableArguments {
    @Flag(
        name: .shortAndLong,
        help: "Also print status and headers, which may contain secrets."
    )
    var include = false

    @Flag(name: .shortAndLong, help: "Print nothing if the status is 400 or more.")
    var fail = false

    @Flag(
        name: .shortAndLong,
        help: "Show on standard error what is sent and received, without secrets."
    )
    var verbose = false

    @Option(
        help: ArgumentHelp(
            "The use of stored responses, see docs/command.md.",
            valueName: "policy"
        )
    )
    var cache: CacheArgument?
}

/// The argument of `--cache`.
enum CacheArgument: String, ExpressibleByArgument, CaseIterable {
    case `default`
    case noStore = "no-store"
    case reload
    case revalidate
    case onlyIfCached = "only-if-cached"

    var policy: CachePolicy {
        switch self {
        case .default: .default
        case .noStore: .noStore
        case .reload: .reload
        case .revalidate: .revalidate
        case .onlyIfCached: .onlyIfCached
        }
    }
}
