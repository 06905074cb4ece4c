// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension CookieJar {
    /// The result of storing the cookies of a response.
    public struct StoreResult: Sendable, Hashable {
        /// Whether anything has changed that needs to be saved.
        public internal(set) var isChanged = false
        /// The first 32 rejected cookies.
        public internal(set) var rejections: [CookieRejection] = []
        /// The number of rejected cookies.
        public internal(set) var rejectionCount = 0

        mutating func add(_ rejection: CookieRejection) {
            rejectionCount += 1
            if rejections.count < 32 { rejections.append(rejection) }
        }
    }

    /// Stores the cookies of a response, RFC 6265bis sections 5.6 and 5.7.
    ///
    /// A field with an expiry in the past deletes a cookie. If there are more cookies than the ``limits``
    /// allow, the least recently used ones are dropped; within one domain, cookies that are not `Secure` are
    /// dropped first (`removeExcess` of `CookieJar+Removing`).
    ///
    /// - Parameters:
    ///   - fields: The values of the response's `Set-Cookie` fields, in order.
    ///   - url: The URL of the request.
    ///   - now: The time.
    ///   - context: Where the request came from.
    /// - Returns: The rejected cookies, and whether anything needs to be saved.
    @discardableResult
    public mutating func store(
        _ fields: [String],
        from url: HTTPURL,
        at now: UnixTime = .now,
        context: CookieContext = .sameSite
    ) -> StoreResult {
        var result = StoreResult()
        guard !fields.isEmpty else { return result }
        let changesBefore = changeCount
        removeExpired(at: now)
        var allowedBytes = limits.bytesPerResponse
        var secureCookies: [[UInt8]: [StoredCookie]]?
        for (index, field) in fields.enumerated() {
            // Fields over the limit cost no more than this subtraction.
            allowedBytes -= min(field.utf8.count, allowedBytes + 1)
            guard index < limits.fieldsPerResponse, allowedBytes >= 0 else {
                let rejection = CookieRejection(name: "", reason: .overLimit)
                for _ in index..<fields.count { result.add(rejection) }
                break
            }
            do throws(CookieRejection) {
                try store(SetCookie(field), from: url, at: now, context: context, &secureCookies)
            } catch {
                result.add(error)
            }
        }
        removeExcess(ofHost: url.origin.host)
        result.isChanged = changeCount != changesBefore
        return result
    }

    private mutating func store(
        _ new: SetCookie,
        from url: HTTPURL,
        at now: UnixTime,
        context: CookieContext,
        _ secureCookies: inout [[UInt8]: [StoredCookie]]?
    ) throws(CookieRejection) {
        let refuse = { (reason: CookieRejection.Reason) in CookieRejection(name: new.name, reason: reason) }
        let lifetime = expiryPolicy.lifetime(of: new, at: now)
        let domain = try Self.domain(of: new, from: url.origin.host)
        let path = new.path ?? CookieScope.defaultPath(url.path)
        guard path.utf8.count <= SetCookie.longestPair else { throw refuse(.tooLong) }
        let cookie = StoredCookie(
            name: new.name,
            value: new.value,
            domain: domain ?? url.origin.host,
            path: path,
            isHostOnly: domain == nil,
            isSecure: new.isSecure,
            isHTTPOnly: new.isHTTPOnly,
            sameSite: new.sameSite,
            expiry: lifetime.expiry,
            creation: now,
            serial: serial,
            lastUse: useCount
        )
        if !url.origin.isSecure {
            guard !new.isSecure else { throw refuse(.secureOverHTTP) }
            guard !hidesSecureCookie(cookie, &secureCookies) else { throw refuse(.overwritesSecureCookie) }
        }
        guard context.stores(new.sameSite) else { throw refuse(.crossSite) }
        guard new.sameSite != .none || new.isSecure else { throw refuse(.sameSiteNoneWithoutSecure) }
        try Self.checkPrefix(of: cookie, hasPath: new.hasPath)
        put(cookie, isDeletion: lifetime == .deleted)
    }

    /// Returns the `Domain` of the cookie, section 5.7, steps 7 to 10; `nil` if it is only for its host.
    private static func domain(of new: SetCookie, from host: String) throws(CookieRejection) -> String? {
        guard !new.domain.isEmpty else { return nil }
        guard new.domain.utf8.allSatisfy({ $0 < 0x80 }) else {
            throw CookieRejection(name: new.name, reason: .malformedDomain)
        }
        // No host name is longer, and the domain is later passed to a C library.
        guard new.domain.utf8.count <= 253 else {
            throw CookieRejection(name: new.name, reason: .foreignDomain)
        }
        if PublicSuffixes.contains(new.domain) {
            guard new.domain == host else { throw CookieRejection(name: new.name, reason: .publicSuffix) }
            return nil
        }
        guard CookieScope.matches(host: host, domain: new.domain) else {
            throw CookieRejection(name: new.name, reason: .foreignDomain)
        }
        return new.domain
    }

    /// Checks the `__Secure-` and `__Host-` prefixes, section 5.7, steps 20 to 22.
    private static func checkPrefix(of cookie: StoredCookie, hasPath: Bool) throws(CookieRejection) {
        let prefixed = cookie.name.isEmpty ? cookie.value : cookie.name
        let isSecure = ASCIIText.hasPrefix(prefixed, ignoringCase: "__secure-")
        let isHost = ASCIIText.hasPrefix(prefixed, ignoringCase: "__host-")
        guard isSecure || isHost else { return }
        guard !cookie.name.isEmpty else { throw CookieRejection(name: "", reason: .hiddenPrefix) }
        guard cookie.isSecure, isSecure || (cookie.isHostOnly && hasPath && cookie.path == "/") else {
            throw CookieRejection(name: cookie.name, reason: .invalidNamePrefix)
        }
    }

    /// Section 5.7, step 16: whether a cookie from http would be sent with, or instead of, a secure cookie of
    /// the same name. The first call groups the secure cookies by name; a response over http neither adds nor
    /// removes one.
    private func hidesSecureCookie(
        _ cookie: StoredCookie,
        _ secureCookies: inout [[UInt8]: [StoredCookie]]?
    ) -> Bool {
        let secure =
            secureCookies
            ?? Dictionary(grouping: buckets.values.flatMap { $0.cookies.filter(\.isSecure) }) {
                Array($0.name.utf8)
            }
        secureCookies = secure
        return (secure[Array(cookie.name.utf8)] ?? []).contains { other in
            (CookieScope.matches(host: other.domain, domain: cookie.domain)
                || CookieScope.matches(host: cookie.domain, domain: other.domain))
                && CookieScope.matches(path: cookie.path, cookiePath: other.path)
        }
    }

    /// Adds, replaces or deletes a cookie, section 5.7, steps 23 and 24.
    private mutating func put(_ cookie: StoredCookie, isDeletion: Bool) {
        var cookie = cookie
        var bucket = buckets.removeValue(forKey: cookie.domain) ?? Bucket()
        var isChanged = !isDeletion
        if let index = bucket.index(of: cookie) {
            let old = bucket.remove(at: index)
            count -= 1
            byteCount -= old.byteCount
            (cookie.creation, cookie.serial) = (old.creation, old.serial)
            isChanged = isDeletion || !cookie.isStoredLike(old)
        }
        if !isDeletion {
            bucket.insert(cookie)
            count += 1
            byteCount += cookie.byteCount
            nextExpiry = min(nextExpiry, cookie.expiry ?? .distantFuture)
            serial &+= 1
            useCount &+= 1
        }
        if !bucket.cookies.isEmpty { buckets[cookie.domain] = bucket }
        if isChanged { changeCount &+= 1 }
    }
}
