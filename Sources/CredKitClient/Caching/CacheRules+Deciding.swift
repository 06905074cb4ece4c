// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension CacheRules {
    /// Decides what to do with a request.
    ///
    /// - Parameters:
    ///   - request: The request with all fields that would be sent.
    ///   - stored: The stored responses for its URL.
    ///   - policy: What the caller wants.
    ///   - now: The time.
    /// - Returns: Whether to answer from the cache, to send the request, or to fail.
    func decide(
        _ request: CacheRequest,
        stored: [CacheEntry],
        policy: CachePolicy = .default,
        at now: UnixTime
    ) -> CacheDecision {
        let wishes = CacheWishes(policy: policy, request: request)
        var sending = CacheSending()
        if request.isAnswerable { sending.fields = wishes.fields(for: request) }
        sending.mayStore = request.isAnswerable && !wishes.isNoStore
        let miss = wishes.isOnlyIfCached ? CacheDecision.notCached : .send(sending)

        guard sending.mayStore, !request.hasPreconditions,
            let entry = matches(for: request, in: stored).first
        else { return miss }
        let freshness = Freshness(of: entry, at: now)
        guard !request.isPartial else {
            guard let range = range(of: request, in: entry),
                let use = use(of: entry, wishes: wishes, freshness: freshness)
            else { return miss }
            return .use(CacheAnswer(entry, range: range, as: use, freshness: freshness), refresh: nil)
        }
        if let use = use(of: entry, wishes: wishes, freshness: freshness) {
            return .use(CacheAnswer(entry, as: use, to: request, freshness: freshness), refresh: nil)
        }
        if wishes.isOnlyIfCached { return .notCached }
        if request.method == .get, policy != .reload { Self.addConditions(of: entry, to: &sending) }
        if mayRefreshInBackground(entry, wishes: wishes, freshness: freshness) {
            let answer = CacheAnswer(entry, as: .stale, to: request, freshness: freshness)
            return .use(answer, refresh: sending)
        }
        sending.fallback = fallback(of: entry, wishes: wishes, freshness: freshness, at: now)
        return .send(sending)
    }

    /// Returns how an entry may be used without asking the server; `nil` if it must be asked.
    ///
    /// Age against lifetime is for `Freshness`, the caller's limits for `CacheWishes`.
    private func use(of entry: CacheEntry, wishes: CacheWishes, freshness: Freshness) -> CacheUse? {
        let control = entry.control
        guard !control.isNoCache else { return nil }
        if wishes.acceptFresh(freshness, isImmutable: control.isImmutable) { return .stored }
        // The caller asks for less than freshness here; a fresh response is not stale for all that.
        guard wishes.acceptStale(freshness) else { return nil }
        if freshness.isFresh { return .stored }
        return control.permitsStale ? .stale : nil
    }

    /// Returns the range of a stored response that a request asks for; `nil` if the server must answer.
    private func range(of request: CacheRequest, in entry: CacheEntry) -> ByteRange? {
        guard request.method == .get, entry.status == .ok,
            ByteRange.condition(request.headers[values: .ifRange], holdsFor: entry)
        else { return nil }
        return ByteRange(request.headers[values: .range], length: entry.bodyLength)
    }

    /// RFC 5861 section 3. The seconds count from the end of freshness.
    private func mayRefreshInBackground(
        _ entry: CacheEntry,
        wishes: CacheWishes,
        freshness: Freshness
    ) -> Bool {
        let control = entry.control
        guard refreshesInBackground, wishes.leavesStalenessToServer, control.permitsStale,
            let seconds = control.staleWhileRevalidate.value
        else { return false }
        return freshness.isYounger(thanLifetimePlus: seconds)
    }

    /// Adds the fields that make a request conditional, RFC 9111 section 4.3.1.
    private static func addConditions(of entry: CacheEntry, to sending: inout CacheSending) {
        if let tag = entry.entityTag {
            sending.fields[.ifNoneMatch] = tag.text
            sending.validated = entry
        }
        if entry.lastModified != nil, let changed = entry.headers.first(.lastModified) {
            sending.fields[.ifModifiedSince] = changed
            sending.validated = entry
        }
    }
}
