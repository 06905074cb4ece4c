// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// The options for a server that protects sites behind a reverse proxy.
struct PageOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            """
            The origin of a site to protect, such as https://wiki.example.org; repeatable. The reverse proxy asks \
            /auth/check or /auth/forward before each request, and users log in at /auth/login.
            """,
            valueName: "origin"
        )
    )
    var site: [SiteOrigin] = []

    @Option(
        help: ArgumentHelp(
            """
            With --site: one login for all sites under a domain, at the first site. Every host of the domain gets the cookie \
            and must be trusted.
            """,
            valueName: "domain"
        )
    )
    var cookieDomain: String?

    @Option(help: ArgumentHelp("With --site: the heading of the login page.", valueName: "text"))
    var pageTitle: String?

    @Option(help: ArgumentHelp("With --site: the color of the button, such as #1d4ed8.", valueName: "color"))
    var pageColor: String?

    /// The settings; `nil` if no site is protected.
    var settings: PageSettings? {
        guard !site.isEmpty else { return nil }
        var settings = PageSettings(sites: site, cookieDomain: cookieDomain?.lowercased())
        if let pageTitle { settings.title = pageTitle }
        if let pageColor { settings.color = pageColor.lowercased() }
        return settings
    }

    func validate() throws {
        let others = [
            ("--cookie-domain", cookieDomain), ("--page-title", pageTitle), ("--page-color", pageColor),
        ]
        if site.isEmpty, let (option, _) = others.first(where: { $0.1 != nil }) {
            throw ValidationError("\(option) requires --site.")
        }
        if let cookieDomain { try Self.check(cookieDomain.lowercased(), for: site) }
        if let pageTitle {
            guard (1...100).contains(pageTitle.utf8.count), pageTitle.utf8.allSatisfy({ $0 >= 0x20 }) else {
                throw ValidationError(
                    "--page-title must have from 1 to 100 bytes, without control characters."
                )
            }
        }
        if let pageColor {
            let digits = pageColor.utf8.dropFirst()
            let areDigits = digits.allSatisfy { byte in
                switch byte {
                case 48...57, 65...70, 97...102: true
                default: false
                }
            }
            guard pageColor.utf8.first == UInt8(ascii: "#"), digits.count == 6, areDigits else {
                throw ValidationError("--page-color must be # and six hexadecimal digits, such as #1d4ed8.")
            }
        }
    }

    /// Checks what the options require of others.
    ///
    /// - Parameter server: The command.
    /// - Throws: `ValidationError`.
    func check(with server: CredKitServerCommand) throws {
        guard !site.isEmpty else {
            guard !server.mechanism.contains(.page) else {
                throw ValidationError("--mechanism page requires --site.")
            }
            return
        }
        guard !server.proxyOptions.trustedProxy.isEmpty else {
            throw ValidationError(
                "--site requires --trusted-proxy with the address of the reverse proxy, such as 127.0.0.1."
            )
        }
        guard server.listen.isLoopback || server.tlsCert != nil else {
            throw ValidationError(
                "--site requires --tls-cert to listen beyond this machine: it takes passwords."
            )
        }
    }

    /// Checks a domain for cookies, in lower case.
    private static func check(_ domain: String, for sites: [SiteOrigin]) throws {
        let labels = domain.utf8.split(separator: UInt8(ascii: "."))
        guard SiteOrigin.isHostName(domain), labels.count > 1,
            labels.last?.allSatisfy({ 48...57 ~= $0 }) == false
        else {
            throw ValidationError(
                "--cookie-domain must be a domain such as example.org, not an address, a single label or a port."
            )
        }
        switch PublicSuffixes.contains(domain) {
        case false?: break
        case true?:
            throw ValidationError(
                "--cookie-domain: \(domain) is a public suffix, under which anyone can register a name."
            )
        case nil:
            throw ValidationError(
                "--cookie-domain requires libpsl with its list of public suffixes: install libpsl5."
            )
        }
        for site in sites where site.host != domain && !site.host.hasSuffix(".\(domain)") {
            throw ValidationError("--cookie-domain: \(site.text) is not under \(domain).")
        }
    }
}
