// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What the rules know about status codes.
enum CacheableStatus {
    /// Whether a lifetime may be guessed, RFC 9110 section 15.1.
    static func isHeuristic(_ status: Int) -> Bool {
        [200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }

    /// Whether a response may be stored as a whole.
    ///
    /// RFC 6585 forbids it for 428, 429, 431 and 511. A challenge depends on the credentials, so that one from
    /// the cache would survive the login. 206 and 304 are not complete.
    static func isStorable(_ status: Int) -> Bool {
        (200...599).contains(status) && ![206, 304, 401, 407, 428, 429, 431, 511].contains(status)
    }

    /// Whether the meaning for caches is known, for `must-understand`.
    static func isUnderstood(_ status: Int) -> Bool {
        isHeuristic(status) || [302, 303, 307, 403, 500, 502, 503, 504].contains(status)
    }

    /// Whether a stale response may be used in place of this one, RFC 5861 section 4.
    static func isError(_ status: Int) -> Bool { [500, 502, 503, 504].contains(status) }

    /// Whether a response says nothing about the resource, so that an older one remains the latest.
    static func isTransient(_ status: Int) -> Bool {
        status >= 500 || [401, 407, 408, 425, 429].contains(status)
    }
}
