// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension CookieJar {
    /// How many cookies a jar keeps, and how many it looks at.
    ///
    /// RFC 6265bis section 6.1 asks for 50 cookies a domain and 3000 in all at least.
    public struct Limits: Sendable, Hashable {
        /// The cookies that one domain can have.
        public var cookiesPerDomain: Int
        /// The cookies that the jar can have.
        public var cookies: Int
        /// The bytes that all names, values, domains and paths can have together.
        public var bytes: Int
        /// The fields of one response that are looked at; later ones are refused unread.
        public var fieldsPerResponse: Int
        /// The bytes of one response's fields that are looked at.
        public var bytesPerResponse: Int

        /// Limits of one's own; numbers below zero count as zero.
        ///
        /// - Parameters:
        ///   - cookiesPerDomain: The cookies that one domain can have.
        ///   - cookies: The cookies that the jar can have.
        ///   - bytes: The bytes that all of them can have together.
        ///   - fieldsPerResponse: The fields of one response that are looked at.
        ///   - bytesPerResponse: The bytes of one response's fields that are looked at.
        public init(
            cookiesPerDomain: Int = 180,
            cookies: Int = 3000,
            bytes: Int = 4 << 20,
            fieldsPerResponse: Int = 300,
            bytesPerResponse: Int = 1 << 20
        ) {
            self.cookiesPerDomain = max(0, cookiesPerDomain)
            self.cookies = max(0, cookies)
            self.bytes = max(0, bytes)
            self.fieldsPerResponse = max(0, fieldsPerResponse)
            self.bytesPerResponse = max(0, bytesPerResponse)
        }

        /// 180 cookies a domain, as in browsers, 3000 and 4 MiB in all; of a response 300 fields and 1 MiB.
        public static let standard = Limits()
    }
}
