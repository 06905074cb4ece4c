// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPSL

/// The domains under which anyone can register a name, such as `com`, `co.uk` and `github.io`, from
/// <https://publicsuffix.org>.
///
/// libpsl is loaded at the first lookup. Without libpsl or without a list, every domain is a public suffix
/// for cookies; for certificates, single labels are.
enum PublicSuffixes {
    /// The newer of the system's list and libpsl's built-in list. It is read once and never changed or freed.
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

    /// Whether a domain, in lower case and ASCII form, is a public suffix. A single label always is, even if
    /// it is not on the list. Without a list every domain is: a cookie whose attribute Domain names another domain than the
    /// host is refused, and one that names the host itself is stored for this host only.
    static func contains(_ domain: String) -> Bool {
        guard let list else { return true }
        return unsafe list.library.psl_is_public_suffix(list.context, domain) != 0
    }

    /// Whether a registry registers names under a domain, in lower case and ASCII form, such as `com` and
    /// `co.uk`. Suffixes of one company, such as `github.io`, do not count: the company may have a
    /// certificate for all names under its suffix.
    static func isRegistry(_ domain: String) -> Bool {
        let isSingleLabel = !domain.utf8.contains(UInt8(ascii: "."))
        guard let list, !isSingleLabel else { return isSingleLabel }
        return unsafe list.library.psl_is_public_suffix2(list.context, domain, Int32(CREDKIT_PSL_ICANN)) != 0
    }

    /// Returns the registrable part of a host name in lower case and ASCII form: its public suffix and one
    /// more label. `nil` for a public suffix.
    static func registrableDomain(of host: String) -> String? {
        guard let list else { return host }
        return unsafe host.withCString { host in
            let domain = unsafe list.library.psl_registrable_domain(list.context, host)
            return unsafe domain.map { unsafe String(cString: $0) }
        }
    }
}
