// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// A password hashing scheme, given by the name that `credkit hash` and `credkit inspect` have for it.
struct SchemeArgument: ExpressibleByArgument {
    /// The schemes of bare hexadecimal hashes. Their names in stored hashes differ.
    private static let bare: [(name: String, scheme: PasswordHash.Scheme)] = [
        ("md5", .hexMD5), ("salted-md5", .hexMD5), ("hmac-md5", .hexHMACMD5),
    ]

    let scheme: PasswordHash.Scheme

    init?(argument: String) {
        if let bare = Self.bare.first(where: { $0.name == argument }) {
            scheme = bare.scheme
        } else if let scheme = PasswordHash.Scheme(name: argument), Self.allValueStrings.contains(argument) {
            self.scheme = scheme
        } else {
            return nil
        }
    }

    static var allValueStrings: [String] {
        PasswordHash.Scheme.all.filter { scheme in !bare.contains { $0.scheme == scheme } }.map(\.name)
            + bare.map(\.name)
    }

    /// Returns the name of a stored hash's scheme.
    static func name(of hash: PasswordHash) -> String {
        if hash.scheme == .hexMD5 { return hash.salt.isEmpty ? "md5" : "salted-md5" }
        return bare.first { $0.scheme == hash.scheme }?.name ?? hash.scheme.name
    }
}
