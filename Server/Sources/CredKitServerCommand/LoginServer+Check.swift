// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import HTTPTypes
import Hummingbird

// What a reverse proxy asks before it passes a request of a browser on. There are no exemptions by path or method, which an
// attacker could claim for a request.
extension LoginServer {
    /// Answers whether the request of a browser may pass, by its cookie alone.
    ///
    /// The answers are 204 with the user's name, 401, 403 and 503; for other proxies than nginx, which takes no redirect, also 302.
    ///
    /// - Parameters:
    ///   - request: The request of the proxy, with the headers of the browser.
    ///   - page: The protected sites.
    ///   - context: The connection.
    ///   - redirects: Whether a browser is sent to the login page with the answer itself.
    /// - Returns: The answer.
    /// - Throws: `LoginServerError.cancelled`.
    func check(
        _ request: Request,
        at page: PageSettings,
        _ context: ServerContext,
        redirects: Bool
    ) async throws -> ServerAnswer {
        let found: String?
        do {
            found = try await user(of: request, at: page)
        } catch {
            if Task.isCancelled { throw error }
            return .refusal(.serviceUnavailable, "sessions cannot be read").retrying(after: .seconds(5))
        }
        guard let user = found else {
            var answer = ServerAnswer.refusal(.unauthorized, "log in first")
            // A script that fetches something cannot use a page.
            if Self.isNavigation(request) {
                let address = original(of: request, at: page, context, redirects: redirects)
                answer.headers[.location] = page.loginURL(returningTo: address)
                if redirects { answer.status = .found }
            }
            if answer.status == .unauthorized {
                answer.headers[.wwwAuthenticate] = "Cookie realm=\"credkit-server\""
            }
            answer.isLogged = false
            return answer
        }
        guard Self.canBeNamed(user) else {
            return .refusal(.forbidden, "the name of the user cannot be sent in a header")
        }
        // A location of the proxy may pass the client's headers on, and the program would take this one for the user.
        guard !request.headers.contains(.remoteUser), !request.headers.contains(.remoteUserOfPrograms) else {
            return .refusal(.forbidden, "the request names a user itself, in the header Remote-User")
        }
        var answer = ServerAnswer.empty(.noContent)
        answer.headers[.remoteUser] = user
        answer.isLogged = false
        return answer
    }

    /// Whether a header can name a user. A space at an end would be lost, and programs read other characters differently.
    static func canBeNamed(_ user: String) -> Bool {
        !user.isEmpty && user.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// Returns the user who is logged in by the page.
    func user(of request: Request, at page: PageSettings) async throws -> String? {
        try await user(ofTokens: [Self.cookie(page.cookieName, of: request)].compactMap { $0 })
    }

    /// Whether a browser shows the answer to the user.
    static func isNavigation(_ request: Request) -> Bool {
        let modes = request.headers[values: .secFetchMode]
        if !modes.isEmpty { return modes == ["navigate"] }
        return request.headers[values: .accept].contains { $0.lowercased().contains("text/html") }
    }

    /// Returns the address that the browser asked for, as a trusted proxy states it; the root of its site if the address cannot be
    /// one to return to.
    private func original(
        of request: Request,
        at page: PageSettings,
        _ context: ServerContext,
        redirects: Bool
    ) -> ReturnAddress? {
        guard context.origin.isForwarded else { return nil }
        func only(_ name: HTTPField.Name) -> String? {
            let values = request.headers[values: name]
            return values.count == 1 ? values[0] : nil
        }
        func address(_ text: String) -> ReturnAddress? {
            if let address = ReturnAddress(text, within: page.sites) { return address }
            return page.sites.first { text.utf8.starts(with: "\($0.text)/".utf8) }
                .map { ReturnAddress(rootOf: $0) }
        }
        if !redirects { return only(.originalURL).flatMap(address) }
        guard let scheme = only(.forwardedScheme), let host = only(.forwardedHost),
            let path = only(.forwardedURI)
        else { return nil }
        return address("\(scheme)://\(host)\(path)")
    }
}

extension HTTPField.Name {
    static let secFetchMode = Self("sec-fetch-mode") ?? .origin
    static let secFetchSite = Self("sec-fetch-site") ?? .origin
    fileprivate static let remoteUser = Self("remote-user") ?? .from
    /// What programs may read as the same.
    fileprivate static let remoteUserOfPrograms = Self("remote_user") ?? .from
    fileprivate static let originalURL = Self("x-original-url") ?? .from
    fileprivate static let forwardedScheme = Self("x-forwarded-proto") ?? .from
    fileprivate static let forwardedHost = Self("x-forwarded-host") ?? .from
    fileprivate static let forwardedURI = Self("x-forwarded-uri") ?? .from
}
