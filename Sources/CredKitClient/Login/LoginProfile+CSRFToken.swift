// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension LoginProfile {
    /// A value that a server puts into its login page and expects back with the login, so that no other site can send the
    /// form (a CSRF token).
    ///
    /// ```swift
    /// var django = LoginProfile.form(path: "/accounts/login/")
    /// django.csrfToken = LoginProfile.CSRFToken(
    ///     path: "/accounts/login/", source: .input("csrfmiddlewaretoken"), destination: .field("csrfmiddlewaretoken")
    /// )
    /// django.success = .status(302)
    /// ```
    ///
    /// The page is requested before each login, and the login names it as its `Referer`.
    public struct CSRFToken: Sendable, Hashable {
        /// Where the server puts the value.
        public enum Source: Sendable, Hashable {
            /// An `input` of the page, by its name.
            case input(String)
            /// A cookie that the page sets, by its name. Its value is decoded as in a URL.
            case cookie(String)
        }

        /// Where the server expects the value.
        public enum Destination: Sendable, Hashable {
            /// A field of the form, or a member of the JSON.
            case field(String)
            /// A header of the request.
            case header(String)
        }

        /// The path of the login page.
        public var path: String

        /// Where the server puts the value.
        public var source: Source

        /// Where the server expects the value.
        public var destination: Destination

        /// Creates the description.
        ///
        /// - Parameters:
        ///   - path: The path of the login page.
        ///   - source: Where the server puts the value.
        ///   - destination: Where the server expects the value.
        public init(path: String, source: Source, destination: Destination) {
            self.path = path
            self.source = source
            self.destination = destination
        }

        /// Checks the names.
        func check() throws(ClientError) {
            guard path.utf8.starts(with: "/".utf8), !path.utf8.starts(with: "//".utf8) else {
                throw .invalidProfile(
                    "invalid login profile: the path in csrf must begin with exactly one slash"
                )
            }
            switch source {
            case .input(let name), .cookie(let name):
                guard !name.isEmpty else {
                    throw .invalidProfile("invalid login profile: csrf has an empty name")
                }
            }
            switch destination {
            case .field(let name):
                guard !name.isEmpty else {
                    throw .invalidProfile("invalid login profile: csrf has an empty field")
                }
            case .header(let name):
                guard let field = HTTPField.Name(name),
                    !LoginProfile.takenHeaders.contains(field.canonicalName)
                else {
                    throw .invalidProfile("invalid login profile: csrf has an invalid header")
                }
            }
        }

        /// The value for one login.
        struct Value {
            let destination: Destination
            let text: String
            /// The URL of the page, without its query.
            let page: String
        }

        /// Requests the login page.
        ///
        /// - Parameter exchange: Sends the request.
        /// - Returns: The value.
        /// - Throws: ``ClientError/malformedResponse`` if the page has none; errors of the connection.
        func value(over exchange: LoginExchange) async throws(ClientError) -> Value {
            let answer = try await exchange.send(
                .get,
                path: path,
                headers: [.accept: "text/html, */*", .cacheControl: "no-cache"],
                redirects: .followWithinOrigins
            )
            try LoginVerdict.checkAvailability(answer)
            let status = answer.head.status.code
            guard (200...299).contains(status) else {
                throw .unexpectedStatus(
                    status,
                    "cannot get the login page \(path): status \(status) (the path in \"csrf\" in the login profile)"
                )
            }
            let url = answer.response.outcome.step.url
            let text: String?
            let what: String
            switch source {
            case .input(let name):
                text = HTMLInput.value(ofInput: name, in: answer.body)
                what = "input '\(name)'"
            case .cookie(let name):
                text = exchange.cookie(name, for: url)
                what = "cookie '\(name)'"
            }
            guard let text, !text.isEmpty else {
                throw .malformedResponse("the login page \(path) has no \(what) with a value", status: status)
            }
            if case .header = destination { _ = try SecretBytes(token: text) }
            return Value(destination: destination, text: text, page: "\(url.origin)\(url.path)")
        }
    }
}

extension LoginExchange {
    /// Returns the value of a cookie that a URL receives, decoded; `nil` if there is none.
    fileprivate func cookie(_ name: String, for url: HTTPURL) -> String? {
        var jar = cookies.contents.jar
        let pairs = jar.header(for: url, at: flow.now())?.split(separator: ";") ?? []
        for pair in pairs {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, ASCIIText.areEqual(String(parts[0].drop { $0 == " " }), name) else {
                continue
            }
            let value = PercentCoding.component.decodeLeniently(Array(parts[1].utf8))
            return String(decoding: value, as: UTF8.self)
        }
        return nil
    }
}
