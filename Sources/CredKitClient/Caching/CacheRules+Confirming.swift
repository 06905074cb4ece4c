// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension CacheRules {
    /// RFC 9111 sections 4.3.3 and 4.3.4: a 304 updates the stored responses that it is about, and the one that
    /// was asked about answers the request.
    func confirmation(
        by head: HTTPResponse,
        of validated: CacheEntry,
        request: CacheRequest,
        sending: CacheSending,
        stored: [CacheEntry],
        times: ExchangeTimes
    ) -> CacheOutcome {
        guard confirms(head.headerFields, validated) else {
            return CacheOutcome(reply: .sendAgain(sending.unconditional))
        }
        var outcome = CacheOutcome()
        let new = updated(validated, by: head.headerFields, request: request, times: times)
        if let new {
            outcome.updates.append(CacheUpdate(old: validated, new: new))
        } else {
            outcome.removals.append(validated)
        }
        for other in stored where other != validated && hasSameStrongTag(other, as: head.headerFields) {
            refresh(other, by: head.headerFields, times: times, in: &outcome)
        }
        // What must not be stored any longer still answers this request; its age is that of before.
        let answering =
            new
            ?? validated.with(
                StoredFields.updated(validated.headers, by: head.headerFields, secrets: secretFields),
                ExchangeTimes(request: validated.requestTime, response: validated.responseTime)
            )
        let freshness = Freshness(of: answering, at: times.response)
        outcome.reply = .stored(CacheAnswer(answering, as: .validated, to: request, freshness: freshness))
        return outcome
    }

    /// Whether the validators of a 304 are those of the entry that was asked about. One without validators is
    /// about it, too.
    private func confirms(_ fields: HTTPFields, _ entry: CacheEntry) -> Bool {
        if fields.hasField(.eTag) {
            guard let tag = EntityTag(fields[values: .eTag]), let stored = entry.entityTag else {
                return false
            }
            return tag.isWeak ? tag.matchesWeakly(stored) : tag.matchesStrongly(stored)
        }
        guard let changed = fields.first(.lastModified), let stored = entry.headers.first(.lastModified)
        else {
            return true
        }
        return ASCIIText.areEqual(changed, stored)
    }

    private func hasSameStrongTag(_ entry: CacheEntry, as fields: HTTPFields) -> Bool {
        guard let tag = EntityTag(fields[values: .eTag]), let stored = entry.entityTag else { return false }
        return tag.matchesStrongly(stored)
    }

    /// Updates another variant. Its request is gone, so it remains selected by the same fields.
    private func refresh(
        _ entry: CacheEntry,
        by fields: HTTPFields,
        times: ExchangeTimes,
        in outcome: inout CacheOutcome
    ) {
        var fields = fields
        fields[values: .vary] = entry.headers[values: .vary]
        let request = CacheRequest(method: .get, url: entry.url, headers: [:])
        if var new = updated(entry, by: fields, request: request, times: times) {
            new.variant = entry.variant
            outcome.updates.append(CacheUpdate(old: entry, new: new))
        } else {
            outcome.removals.append(entry)
        }
    }
}
