// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How the cache took part in a response.
public enum CacheUse: Sendable, Hashable {
    /// The response came from the server.
    case network
    /// The response was stored and fresh; no request was sent.
    case stored
    /// The response was stored, and the server confirmed that it is still valid.
    case validated
    /// The response was stored and is older than the server's limit; no request was sent, or it failed.
    case stale
}
