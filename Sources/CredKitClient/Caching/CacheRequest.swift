// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// What the rules of the cache need of a request.
struct CacheRequest: Sendable {
    let method: HTTPRequest.Method
    let url: HTTPURL
    /// All fields as they would be sent, credentials included, because `Vary` may name any of them.
    let headers: HTTPFields

    /// Whether the method cannot change anything, RFC 9110 section 9.2.1. Unknown methods might.
    var isSafe: Bool { [.get, .head, .options, .trace].contains(method) }

    /// Whether the cache may answer. Responses to HEAD are made from those to GET.
    var isAnswerable: Bool { method == .get || method == .head }

    /// Whether the caller makes the request conditional. The caller then has a response of its own, and only
    /// the server can tell whether that is still valid.
    var hasPreconditions: Bool {
        [.ifNoneMatch, .ifModifiedSince, .ifMatch, .ifUnmodifiedSince].contains { headers.hasField($0) }
    }

    /// Whether the request is for a part of the content.
    var isPartial: Bool { headers.hasField(.range) || headers.hasField(.ifRange) }
}
