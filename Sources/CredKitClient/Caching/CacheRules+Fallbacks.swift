// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension CacheRules {
    /// Finds the stored response to use in place of an error.
    ///
    /// - Parameters:
    ///   - failure: What went wrong.
    ///   - sending: How the request was sent.
    ///   - request: The request.
    ///   - now: The time of the failure.
    /// - Returns: The answer; `nil` if the error must be handed on.
    func fallback(
        after failure: CacheFailure,
        of sending: CacheSending,
        to request: CacheRequest,
        at now: UnixTime
    ) -> CacheAnswer? {
        guard let fallback = sending.fallback else { return nil }
        let isInTime = fallback.end.map { (fallback.start..<max(fallback.start, $0)).contains(now) } ?? false
        let isPermitted =
            switch failure {
            case .unreachable: isInTime || fallback.servesOffline
            case .status(let status): isInTime && CacheableStatus.isError(status)
            }
        guard isPermitted else { return nil }
        let freshness = Freshness(of: fallback.entry, at: now)
        return CacheAnswer(fallback.entry, as: .stale, to: request, freshness: freshness)
    }

    /// Returns what may be used if a request fails, RFC 5861 section 4.
    func fallback(
        of entry: CacheEntry,
        wishes: CacheWishes,
        freshness: Freshness,
        at now: UnixTime
    ) -> CacheFallback? {
        let control = entry.control
        guard !wishes.requiresServer, control.permitsStale else { return nil }
        let permitted = [control, wishes.control].compactMap(\.staleIfError.value).max()
        var end: UnixTime?
        if let permitted, let age = freshness.age {
            end = now + .seconds(freshness.lifetime + permitted - age)
        }
        guard end != nil || servesStaleOffline else { return nil }
        return CacheFallback(entry: entry, start: now, end: end, servesOffline: servesStaleOffline)
    }
}
