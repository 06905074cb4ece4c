// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient

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

extension CacheUse {
    /// The member of a `Cache-Status` field ([RFC 9211](https://www.rfc-editor.org/rfc/rfc9211)) that says the same.
    var status: String {
        switch self {
        case .network: "CredKit; fwd=miss"
        case .stored: "CredKit; hit"
        case .validated: "CredKit; fwd=stale; fwd-status=304"
        case .stale: "CredKit; hit; detail=stale"
        }
    }
}
