// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPSL

/// The domains under which anyone can register a name, such as `com`, `co.uk` and `github.io`, as libpsl knows them.
enum PublicSuffixes {
    /// Returns whether a domain, in lower case and ASCII form, is a public suffix; `nil` if there is no libpsl, or no list.
    static func contains(_ domain: String) -> Bool? {
        var library = credkit_psl_library()
        guard credkit_psl_library_load(&library) != 0, let list = library.psl_latest(nil) else { return nil }
        return library.psl_is_public_suffix(list, domain) != 0
    }
}
