// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

extension CookieJar {
    /// Encodes the cookies, including session cookies, so that they can be encrypted and saved.
    ///
    /// - Returns: The bytes, which contain all values in clear text.
    /// - Throws: ``ClientError/storage``.
    public func encoded() throws(ClientError) -> [UInt8] {
        let cookies = buckets.values.flatMap(\.cookies).sorted {
            ($0.lastUse, $0.serial) < ($1.lastUse, $1.serial)
        }
        do {
            return Array(
                try JSONEncoder().encode(EncodedJar(version: 1, cookies: cookies.map(EncodedCookie.init)))
            )
        } catch {
            throw .storage("cannot encode the cookies")
        }
    }

    /// Decodes the output of ``encoded()``. Cookies over the limits are dropped.
    ///
    /// - Parameters:
    ///   - bytes: The bytes.
    ///   - limits: The maximum number and size of the stored cookies.
    ///   - expiryPolicy: How long cookies that are set from now on are stored.
    /// - Throws: ``ClientError/storage`` if the bytes are damaged or were written by a later version.
    public init(
        decoding bytes: [UInt8],
        limits: Limits = .standard,
        expiryPolicy: CookieExpiryPolicy = .asSent
    ) throws(ClientError) {
        self.init(limits: limits, expiryPolicy: expiryPolicy)
        let decoder = JSONDecoder()
        let data = Data(bytes)
        guard let version = try? decoder.decode(EncodedJar.Version.self, from: data).version else {
            throw .storage("cannot read the cookie file: it is damaged")
        }
        guard version == 1 else {
            throw .storage("cannot read the cookie file: it was written by a later version")
        }
        guard let all = try? decoder.decode(EncodedJar.self, from: data).cookies else {
            throw .storage("cannot read the cookie file: it is damaged")
        }
        // The file is in order of last use. Cookies over the limit are not examined.
        let cookies = Array(all.suffix(limits.cookies))
        guard cookies.allSatisfy(\.isValid) else {
            throw .storage("cannot read the cookie file: it is damaged")
        }
        var ranks = [UInt64](repeating: 0, count: cookies.count)
        for (rank, index) in cookies.indices.sorted(by: { cookies[$0].serial < cookies[$1].serial })
            .enumerated()
        {
            ranks[index] = UInt64(rank)
        }
        for (cookie, rank) in zip(cookies, ranks) { insertDecoded(cookie, serial: rank) }
        serial = UInt64(cookies.count)
        for domain in Array(buckets.keys) { removeExcess(ofDomain: domain) }
        removeExcess()
        changeCount = 0
    }

    private mutating func insertDecoded(_ encoded: EncodedCookie, serial: UInt64) {
        let cookie = encoded.stored(serial: serial, lastUse: useCount)
        var bucket = buckets.removeValue(forKey: cookie.domain) ?? Bucket()
        defer { buckets[cookie.domain] = bucket }
        guard bucket.index(of: cookie) == nil else { return }
        bucket.insert(cookie)
        count += 1
        byteCount += cookie.byteCount
        nextExpiry = min(nextExpiry, cookie.expiry ?? .distantFuture)
        useCount += 1
    }
}

/// The format of the file.
private struct EncodedJar: Codable {
    let version: Int
    let cookies: [EncodedCookie]

    struct Version: Codable { let version: Int }
}

private struct EncodedCookie: Codable {
    let name, value, domain, path: String
    let isHostOnly, isSecure, isHTTPOnly: Bool
    let sameSite: StoredCookie.SameSite
    /// In seconds from 1970.
    let expiry: Int64?
    let creation: Int64
    let serial: UInt64

    init(_ cookie: StoredCookie) {
        (name, value, domain, path) = (cookie.name, cookie.value, cookie.domain, cookie.path)
        (isHostOnly, isSecure, isHTTPOnly) = (cookie.isHostOnly, cookie.isSecure, cookie.isHTTPOnly)
        (sameSite, expiry, creation, serial) = (
            cookie.sameSite, cookie.expiry?.seconds, cookie.creation.seconds, cookie.serial
        )
    }

    /// Whether ``CookieJar/store(_:from:at:context:)`` could have stored this cookie.
    var isValid: Bool {
        guard !name.isEmpty || !value.isEmpty, SetCookie.isOfAllowedLength(name: name, value: value),
            path.utf8.first == UInt8(ascii: "/"), path.utf8.count <= SetCookie.longestPair,
            ![name, value, path].contains(where: { SetCookie.hasControls($0.utf8) || $0.utf8.contains(0x3B) }
            ),
            !name.utf8.contains(UInt8(ascii: "="))
        else { return false }
        return (try? HTTPURL("https://\(domain)/"))?.origin.host == domain
    }

    func stored(serial: UInt64, lastUse: UInt64) -> StoredCookie {
        StoredCookie(
            name: name,
            value: value,
            domain: domain,
            path: path,
            isHostOnly: isHostOnly,
            isSecure: isSecure,
            isHTTPOnly: isHTTPOnly,
            sameSite: sameSite,
            expiry: expiry.map { UnixTime($0) },
            creation: UnixTime(creation),
            serial: serial,
            lastUse: lastUse
        )
    }
}
