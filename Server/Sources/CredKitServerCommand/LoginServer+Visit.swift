// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import HTTPTypes
import Hummingbird

// The browser at the login page, and whether a form is one of the page.
extension LoginServer {
    /// What a browser brings to the page.
    struct Visit: Sendable {
        let page: PageSettings
        /// The address to return to.
        let address: ReturnAddress?
        /// The token of the browser's cookie, or a new one.
        let token: String
        /// Whether the browser has yet to get the token.
        let isNew: Bool
        /// The host and the port that the browser asked, if the proxy passes them on.
        private let origin: String?

        init(_ request: Request, _ page: PageSettings, returningTo address: String?) {
            self.page = page
            self.address = address.flatMap { ReturnAddress($0, within: page.sites) }
            let known = LoginServer.cookie(PageSettings.formCookie, of: request).flatMap {
                Self.isToken($0) ? $0 : nil
            }
            isNew = known == nil
            origin = request.head.authority
            token = known ?? Base64.urlSafe.unpadded.encode(SecureRandom.bytes(count: 32))
        }

        private static func isToken(_ text: String) -> Bool {
            text.utf8.count == 43 && (try? Base64.urlSafe.unpadded.decode(text)) != nil
        }

        /// The address of a page of the site that the browser has asked.
        func address(of path: String) -> ReturnAddress? {
            let asked = page.sites.first { site in origin.map { site.text.hasSuffix("://\($0)") } ?? false }
            return ReturnAddress("\((asked ?? page.sites[0]).text)\(path)", within: page.sites)
        }
    }

    /// Whether the page may take a password: not where the way to the proxy is unencrypted although the sites have TLS.
    static func isOffered(_ page: PageSettings, to origin: TrustedProxies.Origin) -> Bool {
        !origin.isForwarded || origin.isEncrypted || page.sites.contains { $0.text.hasPrefix("http://") }
    }

    /// The answer where it may not.
    static var requiresTLS: ServerAnswer {
        .refusal(
            .forbidden,
            "use TLS: the reverse proxy does not state the scheme https of the browser's request"
        )
    }

    /// Whether a form is one of the page, and not one by which another site would log a user in or out.
    static func isOwn(_ form: FormFields, _ request: Request, _ visit: Visit) -> Bool {
        guard request.headers[values: .secFetchSite].allSatisfy({ $0 == "same-origin" }) else { return false }
        let origins = request.headers[values: .origin]
        guard origins.allSatisfy({ origin in visit.page.sites.contains { $0.text == origin } }) else {
            return false
        }
        guard !visit.isNew, let token = form["token"] else { return false }
        return ConstantTime.areEqual(visit.token.utf8, token.utf8)
    }

    /// Whether a form is from a page of an account. A browser can have the session or the link of another one when it is sent.
    static func isFor(_ account: String, _ form: FormFields) -> Bool {
        form["account"].map { $0.utf8.elementsEqual(account.utf8) } ?? false
    }
}
