// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit

/// A password hashing scheme, given by the name that `credkit hash` and `credkit inspect` have for it.
struct SchemeArgument {
    /// The schemes of bare hexadecimal hashes. Their names in stored hashes differ.
    private static let bare: [(kind: BareHashKind, scheme: PasswordHash.Scheme)] =
        BareHashKind.allCases.compactMap { kind in kind.scheme.map { (kind, $0) } }

    let scheme: PasswordHash.Scheme

    init?(_ name: String) {
        if let bare = Self.bare.first(where: { $0.kind.name == name }) {
            scheme = bare.scheme
        } else if let scheme = PasswordHash.Scheme(name: name), Self.names.contains(name) {
            self.scheme = scheme
        } else {
            return nil
        }
    }

    /// The names of all schemes.
    static var names: [String] {
        PasswordHash.Scheme.all.filter { scheme in !bare.contains { $0.scheme == scheme } }.map(\.name)
            + bare.map(\.kind.name)
    }

    /// Returns the name of a stored hash's scheme.
    static func name(of hash: PasswordHash) -> String { name(of: hash.scheme, isSalted: !hash.salt.isEmpty) }

    /// Returns the name of the scheme of a group.
    static func name(of group: PasswordTableAudit.Group) -> String {
        name(of: group.scheme, isSalted: group.isSalted)
    }

    private static func name(of scheme: PasswordHash.Scheme, isSalted: Bool) -> String {
        // The schemes of bare hashes have a name for those with a salt.
        let kinds = bare.filter { $0.scheme == scheme }.map(\.kind)
        let kind = kinds.first { $0.isSalted == isSalted } ?? kinds.first
        return kind?.name ?? scheme.name
    }
}
