// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// What to do with a response. The changes of the cache are made in the order of the fields.
struct CacheOutcome: Sendable, Equatable {
    /// What the caller receives.
    var reply = Reply.received
    /// Stored responses that are outdated.
    var removals: [CacheEntry] = []
    /// Stored responses with new fields and times.
    var updates: [CacheUpdate] = []
    /// The entry to store when the whole body has come; see `CacheEntry.completed(bodyLength:)`.
    var storing: CacheEntry?
    /// URLs whose stored responses are all outdated, RFC 9111 section 4.4.
    var invalidated: [HTTPURL] = []

    enum Reply: Sendable, Equatable {
        /// The response itself.
        case received
        /// A stored response.
        case stored(CacheAnswer)
        /// None yet: the request must be sent again, in this way.
        case sendAgain(CacheSending)
    }
}

/// A stored response with new fields and times, and the same body.
struct CacheUpdate: Sendable, Equatable {
    let old: CacheEntry
    let new: CacheEntry
}

/// The times of an exchange.
struct ExchangeTimes: Sendable, Equatable {
    /// When the request was sent.
    let request: UnixTime
    /// When the head of the response came.
    let response: UnixTime
}
