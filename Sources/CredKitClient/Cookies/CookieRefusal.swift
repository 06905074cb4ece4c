// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A cookie that was not stored, and why. It never holds the cookie's value, so that it can be logged.
public struct CookieRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The cookie's name, cut after 64 characters and with everything escaped that is not visible ASCII;
    /// empty when it has none, or when it was not read that far.
    public let name: String

    /// Why it was not stored.
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

extension CookieRefusal {
    /// Why a cookie was not stored. Later versions may know more reasons.
    public struct Reason: Sendable, Hashable, CustomStringConvertible {
        /// The reason in words.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// There is a control character in it.
        public static let controlCharacter = Reason("it has a control character in it")
        /// It has neither a name nor a value.
        public static let empty = Reason("it has neither a name nor a value")
        /// Name and value have more than 4096 bytes, or the path has.
        public static let tooLong = Reason("it is too long")
        /// Its `Domain` is not ASCII.
        public static let malformedDomain = Reason("its Domain is not ASCII")
        /// Its `Domain` is a public suffix, such as `com` or `co.uk`.
        public static let publicSuffix = Reason("its Domain is a public suffix")
        /// Its `Domain` is not one of the host's.
        public static let foreignDomain = Reason("its Domain is not the host's")
        /// It is `Secure`, but came over http.
        public static let secureOverHTTP = Reason("it is Secure, but came over http")
        /// It came over http and would stand in the way of a `Secure` one.
        public static let hidesSecureCookie = Reason("it came over http, and a Secure cookie has its name")
        /// It is `SameSite`, but came from another site.
        public static let crossSite = Reason("it is for its own site, but came with another site's request")
        /// It has `SameSite=None`, but is not `Secure`.
        public static let sameSiteNoneWithoutSecure = Reason("it has SameSite=None, but not Secure")
        /// Its name begins with `__Secure-` or `__Host-`, but it has not what such a cookie must have.
        public static let prefix = Reason("it has not what its name's prefix asks for")
        /// It has no name, and a value that would read as a name with a prefix.
        public static let hiddenPrefix = Reason("it has no name, but a prefix")
        /// The response has more or longer cookies than ``CookieJar/Limits`` allow.
        public static let overLimit = Reason("the response has too many cookies")
    }
}
