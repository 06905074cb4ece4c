// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How a call uses the cache of responses.
///
/// Only responses to GET are stored. The cache is private to one account: it also stores responses marked as
/// private and responses to requests with credentials, RFC 9111 section 3.
public enum CachePolicy: Sendable, Hashable {
    /// Follow the rules of HTTP: answer from the cache while the stored response is fresh, else ask the server.
    case `default`
    /// Ignore stored responses, and store the new one. Caches on the way are told not to answer either.
    case reload
    /// Ask the server whether the stored response is still valid, even if it is fresh.
    ///
    /// The server is not asked about a fresh response that it declared immutable, RFC 8246.
    case revalidate
    /// Answer from the cache without any request, also with a stale response.
    ///
    /// A response that the server forbids to use without asking (`no-cache`, or stale and `must-revalidate`)
    /// counts as missing.
    case onlyIfCached
    /// Neither read nor write the cache.
    case noStore
}
