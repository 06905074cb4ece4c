// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// What the caller wants of a stored response: its policy and the directives of its request.
struct CacheWishes: Sendable {
    let policy: CachePolicy
    let control: CacheControl

    init(policy: CachePolicy, request: CacheRequest) {
        self.policy = policy
        control = CacheControl(request: request.headers)
    }

    /// Whether no request may be sent.
    var isOnlyIfCached: Bool { policy == .onlyIfCached || control.isOnlyIfCached }

    /// Whether the cache is left alone.
    var isNoStore: Bool { policy == .noStore || control.isNoStore }

    /// Whether an error is better than a response that was not confirmed.
    var requiresServer: Bool { policy == .reload || policy == .revalidate || control.isNoCache }

    /// The policy as a directive; `nil` if it needs none.
    private var directive: String? {
        switch policy {
        case .default, .onlyIfCached: nil
        case .reload: "no-cache"
        case .revalidate: "max-age=0"
        case .noStore: "no-store"
        }
    }

    /// The fields that the policy adds to a request, after the caller's own directives.
    func fields(for request: CacheRequest) -> HTTPFields {
        var fields = HTTPFields()
        if let directive {
            let own = request.headers[values: .cacheControl]
            fields[.cacheControl] = (own + [directive]).joined(separator: ", ")
        }
        return fields
    }

    /// Whether a fresh response is good enough, RFC 9111 section 5.2.1. Malformed numbers are not met.
    func acceptFresh(_ freshness: Freshness, isImmutable: Bool) -> Bool {
        guard let age = freshness.age, policy != .reload, !control.isNoCache,
            policy != .revalidate || isImmutable
        else { return false }
        return freshness.isFresh && isYoungEnough(age) && control.minFresh != .malformed
            && freshness.lifetime - age >= control.minFresh.value ?? 0
    }

    /// Whether a stale response is good enough, as the caller itself says.
    func acceptStale(_ freshness: Freshness) -> Bool {
        if policy == .onlyIfCached { return true }
        guard policy == .default, !control.isNoCache, let age = freshness.age,
            let permitted = control.maxStale.value, control.minFresh == .absent
        else { return false }
        return isYoungEnough(age) && age - freshness.lifetime <= permitted
    }

    /// Whether the caller leaves it to the server how stale a response may be.
    var leavesStalenessToServer: Bool {
        policy == .default && !control.isNoCache && !isOnlyIfCached && control.maxAge == .absent
            && control.minFresh == .absent
    }

    private func isYoungEnough(_ age: Int64) -> Bool {
        switch control.maxAge {
        case .absent: true
        case .malformed: false
        case .value(let limit): age <= limit
        }
    }
}
