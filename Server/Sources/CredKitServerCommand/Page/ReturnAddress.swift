// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// The address of a page of a protected site, to which the browser returns after a login.
struct ReturnAddress: Sendable, Hashable {
    private static let maximumByteCount = 2048
    /// The maximum size in a query and in HTML, so that the login page stays small.
    private static let maximumEscapedByteCount = 3000

    let text: String
    let site: SiteOrigin

    /// Checks an address, which may be any text; `nil` if it leads elsewhere.
    ///
    /// It must be an origin of the list, or begin with one and a slash, byte for byte, and have printable ASCII characters alone.
    /// Whatever a browser makes of the rest, it stays on that origin. A backslash, which browsers read as a slash, is refused.
    ///
    /// - Parameters:
    ///   - text: The address.
    ///   - sites: The protected sites.
    init?(_ text: String, within sites: [SiteOrigin]) {
        guard text.utf8.count <= Self.maximumByteCount,
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let site = sites.first(where: { site in
                text.utf8.elementsEqual(site.text.utf8) || text.utf8.starts(with: "\(site.text)/".utf8)
            })
        else { return nil }
        guard PercentText.encode(text).utf8.count <= Self.maximumEscapedByteCount,
            HTMLText.escape(text).utf8.count <= Self.maximumEscapedByteCount
        else { return nil }
        self.text = text
        self.site = site
    }

    /// The root of a site.
    init(rootOf site: SiteOrigin) {
        text = "\(site.text)/"
        self.site = site
    }
}
