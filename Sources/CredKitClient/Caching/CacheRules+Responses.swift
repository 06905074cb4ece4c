// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension CacheRules {
    /// Decides what to do with the head of a response.
    ///
    /// - Parameters:
    ///   - head: Status and fields, as received.
    ///   - request: The request as it was decided on.
    ///   - sending: How it was sent.
    ///   - stored: The stored responses for its URL.
    ///   - times: When it was sent and answered.
    /// - Returns: What the caller receives, and the changes of the cache.
    func receive(
        _ head: HTTPResponse,
        to request: CacheRequest,
        sent sending: CacheSending,
        stored: [CacheEntry],
        times: ExchangeTimes
    ) -> CacheOutcome {
        guard request.isSafe else { return invalidation(by: head, to: request) }
        guard sending.mayStore else { return CacheOutcome() }
        let matching = matches(for: request, in: stored)
        let code = head.status.code
        if code == 304, let validated = sending.validated {
            return confirmation(
                by: head,
                of: validated,
                request: request,
                sending: sending,
                stored: stored,
                times: times
            )
        }
        if let answer = fallback(after: .status(code), of: sending, to: request, at: times.response) {
            return CacheOutcome(reply: .stored(answer))
        }
        if request.method == .head {
            return headOutcome(head, to: request, matching: matching, times: times)
        }
        // Only a complete response to such a request is about the whole resource.
        if request.hasPreconditions || request.isPartial, code != 200 { return CacheOutcome() }
        var outcome = CacheOutcome()
        outcome.storing = entry(of: head, to: request, times: times)
        if outcome.storing != nil || !CacheableStatus.isTransient(code) { outcome.removals = matching }
        return outcome
    }

    /// A method that is not known to be safe ends the stored responses for its URL, and for the URLs that a
    /// successful response says it made or changed, RFC 9111 section 4.4.
    private func invalidation(by head: HTTPResponse, to request: CacheRequest) -> CacheOutcome {
        var outcome = CacheOutcome()
        guard (200...399).contains(head.status.code) else { return outcome }
        outcome.invalidated = [request.url]
        for name in [HTTPField.Name.location, .contentLocation] {
            guard let reference = head.headerFields.first(name),
                let url = try? request.url.resolving(reference), url.origin == request.url.origin,
                !outcome.invalidated.contains(url)
            else { continue }
            outcome.invalidated.append(url)
        }
        return outcome
    }

    /// RFC 9111 section 4.3.5: a response to HEAD updates the stored responses to GET that it is about, or
    /// shows that they are outdated.
    private func headOutcome(
        _ head: HTTPResponse,
        to request: CacheRequest,
        matching: [CacheEntry],
        times: ExchangeTimes
    ) -> CacheOutcome {
        var outcome = CacheOutcome()
        switch head.status.code {
        case 404, 410: outcome.removals = matching
        case 200:
            for old in matching {
                if old.status == .ok, describes(head.headerFields, old),
                    let new = updated(old, by: head.headerFields, request: request, times: times)
                {
                    outcome.updates.append(CacheUpdate(old: old, new: new))
                } else {
                    outcome.removals.append(old)
                }
            }
        default: break
        }
        return outcome
    }

    /// Whether the validators and the length that a response to HEAD states are those of an entry.
    private func describes(_ fields: HTTPFields, _ entry: CacheEntry) -> Bool {
        let lengths = FieldList(fields[values: .contentLength]).elements
        let isSame = { (name: HTTPField.Name) in
            !fields.hasField(name) || fields[values: name] == entry.headers[values: name]
        }
        return isSame(.eTag) && isSame(.lastModified)
            && lengths.allSatisfy { Int64($0) == entry.bodyLength }
    }
}
