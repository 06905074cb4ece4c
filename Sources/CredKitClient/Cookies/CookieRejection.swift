// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A cookie that was rejected, and the reason. It never contains the cookie's value, so it can be logged.
public struct CookieRejection: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cookie's name, truncated to 64 characters, with everything but visible ASCII escaped. Empty if the
    /// cookie has no name or was not read that far.
    public let name: String

    /// The reason for the rejection.
    public let reason: Reason

    init(name: String, reason: Reason) {
        self.name = Self.printable(name)
        self.reason = reason
    }

    /// The name and the reason.
    public var description: String { "\(name.isEmpty ? "a cookie" : "the cookie \(name)"): \(reason)" }

    private static func printable(_ name: String) -> String {
        var printable = ""
        for scalar in name.unicodeScalars.prefix(64) {
            printable += (0x21...0x7E).contains(scalar.value) ? String(scalar) : scalar.escaped(asASCII: true)
        }
        return printable
    }
}

extension CookieRejection {
    /// The reason for rejecting a cookie. Later versions may add reasons.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        /// The reason as text.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// The cookie contains a control character.
        public static let controlCharacter = Reason("it contains a control character")
        /// It has neither a name nor a value.
        public static let empty = Reason("it has neither a name nor a value")
        /// Name and value, or the path, have more than 4096 bytes.
        public static let tooLong = Reason("it is longer than 4096 bytes")
        /// Its `Domain` is not ASCII.
        public static let malformedDomain = Reason("its Domain is not ASCII")
        /// Its `Domain` is a public suffix, such as `com` or `co.uk`.
        public static let publicSuffix = Reason("its Domain is a public suffix")
        /// Its `Domain` does not match the host.
        public static let foreignDomain = Reason("its Domain does not match the host")
        /// It is `Secure`, but was set over http.
        public static let secureOverHTTP = Reason("it is Secure, but was set over http")
        /// It was set over http, and would shadow a `Secure` cookie.
        public static let overwritesSecureCookie = Reason(
            "it was set over http, and a Secure cookie has the same name"
        )
        /// It is restricted to its own site, but was set in a cross-site response.
        public static let crossSite = Reason(
            "it is restricted to its own site, but was set in a cross-site response"
        )
        /// It has `SameSite=None`, but is not `Secure`.
        public static let sameSiteNoneWithoutSecure = Reason("it has SameSite=None, but not Secure")
        /// Its name begins with `__Secure-` or `__Host-`, but it lacks an attribute that the prefix requires.
        public static let invalidNamePrefix = Reason("it lacks an attribute that its name prefix requires")
        /// It has no name, and its value looks like a name with a prefix.
        public static let hiddenPrefix = Reason("it has no name, and its value begins with a name prefix")
        /// The response has more cookies, or larger ones, than ``CookieJar/Limits`` allow.
        public static let overLimit = Reason("the response has too many or too large cookies")
    }
}
