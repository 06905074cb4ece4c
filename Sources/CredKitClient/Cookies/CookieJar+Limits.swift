// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension CookieJar {
    /// How many cookies a jar stores, and how many it examines.
    ///
    /// RFC 6265bis section 6.1 requires at least 50 cookies per domain and 3000 in total.
    public struct Limits: Sendable, Hashable {
        /// The maximum number of cookies per domain.
        public var cookiesPerDomain: Int
        /// The maximum number of cookies in the jar.
        public var cookies: Int
        /// The maximum total size of all names, values, domains and paths in bytes.
        public var bytes: Int
        /// The maximum number of fields that are examined per response; later ones are rejected unread.
        public var fieldsPerResponse: Int
        /// The maximum number of bytes that are examined per response.
        public var bytesPerResponse: Int

        /// Creates limits. Negative numbers count as zero.
        ///
        /// - Parameters:
        ///   - cookiesPerDomain: The maximum number of cookies per domain.
        ///   - cookies: The maximum number of cookies in the jar.
        ///   - bytes: The maximum total size in bytes.
        ///   - fieldsPerResponse: The maximum number of fields that are examined per response.
        ///   - bytesPerResponse: The maximum number of bytes that are examined per response.
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

        /// 180 cookies per domain, as in browsers; 3000 cookies and 4 MiB in total; 300 fields and 1 MiB per
        /// response.
        public static let standard = Limits()
    }
}
