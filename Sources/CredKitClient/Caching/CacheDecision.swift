// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// What to do with a request.
enum CacheDecision: Sendable, Equatable {
    /// Answer from the cache. With `refresh`, also send this request in the background, RFC 5861 section 3.
    case use(CacheAnswer, refresh: CacheSending?)
    /// Send the request.
    case send(CacheSending)
    /// Fail: only a stored response is wanted, and there is none.
    case notCached
}

/// How to send a request.
struct CacheSending: Sendable, Equatable {
    /// Fields that replace those of the request with the same name.
    var fields = HTTPFields()
    /// The stored response that a 304 confirms; `nil` if the request is not conditional.
    var validated: CacheEntry?
    /// What may be used if the request fails.
    var fallback: CacheFallback?
    /// Whether the response may be stored, and may update or end stored ones.
    var mayStore = true

    /// The same without conditions, for a server that confirmed what was never stored.
    var unconditional: CacheSending {
        var copy = self
        copy.fields[.ifNoneMatch] = nil
        copy.fields[.ifModifiedSince] = nil
        copy.validated = nil
        return copy
    }
}

/// A stored response that may be used in place of an error.
struct CacheFallback: Sendable, Equatable {
    let entry: CacheEntry
    /// The time of the decision. A clock before it has gone back.
    let start: UnixTime
    /// Until when the response may be used, RFC 5861 section 4; `nil` if the server did not permit it.
    let end: UnixTime?
    /// Whether it may be used at any time while the server cannot be reached.
    let servesOffline: Bool
}

/// Why there is no proper response.
enum CacheFailure: Sendable, Equatable {
    /// The server could not be reached, or the exchange failed.
    case unreachable
    /// The server answered with this status.
    case status(Int)
}
