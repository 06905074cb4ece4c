// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// A password hashing scheme, given by its name.
struct SchemeArgument: ExpressibleByArgument {
    let scheme: PasswordHash.Scheme

    init?(argument: String) {
        guard let scheme = PasswordHash.Scheme(name: argument) else { return nil }
        self.scheme = scheme
    }

    static var allValueStrings: [String] { PasswordHash.Scheme.all.map(\.name) }
}
