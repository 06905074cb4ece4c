// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension CookieJar {
    /// Removes all cookies, for example at logout.
    public mutating func removeAll() {
        guard !isEmpty else { return }
        removeAll { _ in true }
    }

    /// Removes the session cookies, which have no expiry. RFC 6265bis requires this when a session ends.
    public mutating func removeSessionCookies() { removeAll { $0.expiry == nil } }

    /// Removes the cookies that match a predicate.
    ///
    /// - Parameter isMeant: Returns whether to remove a cookie.
    public mutating func removeAll(where isMeant: (StoredCookie) -> Bool) {
        var kept: [String: Bucket] = [:]
        let countBefore = count
        (count, byteCount, nextExpiry) = (0, 0, .distantFuture)
        for (domain, bucket) in buckets {
            var bucket = bucket
            bucket.removeAll(where: isMeant)
            guard !bucket.cookies.isEmpty else { continue }
            kept[domain] = bucket
            for cookie in bucket.cookies {
                count += 1
                byteCount += cookie.byteCount
                nextExpiry = min(nextExpiry, cookie.expiry ?? .distantFuture)
            }
        }
        buckets = kept
        if count != countBefore { changeCount &+= 1 }
    }

    /// Removes expired cookies. ``store(_:from:at:context:)`` and ``header(for:at:context:)`` also do this.
    ///
    /// - Parameter now: The time.
    public mutating func removeExpired(at now: UnixTime = .now) {
        if nextExpiry <= now { removeAll { $0.isExpired(at: now) } }
    }

    /// Enforces the limits, in the order of RFC 6265bis section 5.7, after cookies of a host were stored:
    /// first per domain of the host, where cookies that are not secure are removed first, then for the whole
    /// jar.
    mutating func removeExcess(ofHost host: String) {
        removeExcess(ofDomain: host)
        var rest = host.utf8[...]
        while let dot = rest.firstIndex(of: UInt8(ascii: ".")) {
            rest = rest[dot...].dropFirst()
            removeExcess(ofDomain: String(Substring(rest)))
        }
        removeExcess()
    }

    mutating func removeExcess(ofDomain domain: String) {
        guard let cookies = buckets[domain]?.cookies, cookies.count > limits.cookiesPerDomain else { return }
        let order = cookies.sorted {
            $0.isSecure != $1.isSecure ? $1.isSecure : ($0.lastUse, $0.serial) < ($1.lastUse, $1.serial)
        }
        remove(Set(order.prefix(cookies.count - limits.cookiesPerDomain).map(\.serial)), ofDomain: domain)
    }

    mutating func removeExcess() {
        guard count > limits.cookies || byteCount > limits.bytes else { return }
        var order = buckets.flatMap { domain, bucket in
            bucket.cookies.map {
                (lastUse: $0.lastUse, serial: $0.serial, bytes: $0.byteCount, domain: domain)
            }
        }
        order.sort { ($0.lastUse, $0.serial) < ($1.lastUse, $1.serial) }
        var (keptCount, keptBytes) = (count, byteCount)
        let excess = order.prefix { cookie in
            let isExcess = keptCount > limits.cookies || keptBytes > limits.bytes
            keptCount -= 1
            keptBytes -= cookie.bytes
            return isExcess
        }
        for (domain, cookies) in Dictionary(grouping: excess, by: \.domain) {
            remove(Set(cookies.map(\.serial)), ofDomain: domain)
        }
    }

    /// Removes cookies of one domain without examining the others.
    private mutating func remove(_ serials: Set<UInt64>, ofDomain domain: String) {
        guard var bucket = buckets.removeValue(forKey: domain) else { return }
        for cookie in bucket.cookies where serials.contains(cookie.serial) {
            count -= 1
            byteCount -= cookie.byteCount
        }
        bucket.removeAll { serials.contains($0.serial) }
        if !bucket.cookies.isEmpty { buckets[domain] = bucket }
        changeCount &+= 1
    }
}
