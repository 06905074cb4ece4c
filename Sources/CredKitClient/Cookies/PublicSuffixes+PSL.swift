// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPSL

/// The domains under which anybody can register one, as `com`, `co.uk` and `github.io`, from
/// <https://publicsuffix.org>.
///
/// libpsl is loaded when the first domain is looked up. Without it, or without a list, every domain is a public
/// suffix for cookies, and for certificates single labels are.
enum PublicSuffixes {
    /// The newer of the system's list and libpsl's own. It is read once and never changed or freed.
    @safe
    private struct List: @unchecked Sendable {
        let library: credkit_psl_library
        let context: OpaquePointer

        init?() {
            var library = credkit_psl_library()
            guard unsafe credkit_psl_library_load(&library) != 0,
                let context = unsafe library.psl_latest(nil)
            else { return nil }
            self.library = library
            unsafe self.context = unsafe context
        }
    }

    private static let list = List()

    /// Whether a domain, in lower case and in its ASCII form, is a public suffix. A single label always is, on
    /// the list or not; and without a list everything is, so that a cookie goes no further than to its own host.
    static func contains(_ domain: String) -> Bool {
        guard let list else { return true }
        return unsafe list.library.psl_is_public_suffix(list.context, domain) != 0
    }

    /// Whether a domain, in lower case and in its ASCII form, is one under which a registry lets names be registered, as
    /// `com` and `co.uk`. Suffixes that are one company's, as `github.io`, are not: it may have a certificate for all names
    /// under them.
    static func isRegistry(_ domain: String) -> Bool {
        let isSingleLabel = !domain.utf8.contains(UInt8(ascii: "."))
        guard let list, !isSingleLabel else { return isSingleLabel }
        return unsafe list.library.psl_is_public_suffix2(list.context, domain, Int32(CREDKIT_PSL_ICANN)) != 0
    }

    /// The part of a host name, in lower case and in its ASCII form, that somebody registered: its public suffix
    /// and one label more. `nil` for a public suffix.
    static func registrableDomain(of host: String) -> String? {
        guard let list else { return host }
        return unsafe host.withCString { host in
            let domain = unsafe list.library.psl_registrable_domain(list.context, host)
            return unsafe domain.map { unsafe String(cString: $0) }
        }
    }
}
