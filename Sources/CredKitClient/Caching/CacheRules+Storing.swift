// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

extension CacheRules {
    /// Returns the entry to store for a complete response to GET, RFC 9111 section 3; `nil` if it must not be
    /// stored, or could never be used.
    ///
    /// `Authorization` in the request is no obstacle, since the cache is private: `CacheLocation` keeps credentials apart.
    func entry(of head: HTTPResponse, to request: CacheRequest, times: ExchangeTimes) -> CacheEntry? {
        guard request.method == .get, !head.headerFields.hasField(.contentRange) else { return nil }
        return storable(
            CacheEntry(
                url: request.url,
                status: head.status,
                headers: StoredFields.storable(head.headerFields, secrets: secretFields),
                times: times,
                variant: VariantKey(fields: [])
            ),
            request: request
        )
    }

    /// Returns an entry with new fields and times; `nil` if it must not be stored any longer.
    func updated(
        _ entry: CacheEntry,
        by fields: HTTPFields,
        request: CacheRequest,
        times: ExchangeTimes
    ) -> CacheEntry? {
        let headers = StoredFields.updated(entry.headers, by: fields, secrets: secretFields)
        return storable(entry.with(headers, times), request: request)
    }

    /// Returns an entry with what it is selected by; `nil` if it must not be stored.
    private func storable(_ entry: CacheEntry, request: CacheRequest) -> CacheEntry? {
        let status = entry.status.code
        let control = entry.control
        guard CacheableStatus.isStorable(status), let variant = variantKey(of: request, for: entry.headers)
        else { return nil }
        // Section 5.2.2.3: caches that know must-understand ignore the no-store for those that do not.
        if control.isMustUnderstand {
            guard CacheableStatus.isUnderstood(status) else { return nil }
        } else if control.isNoStore {
            return nil
        }
        guard
            CacheableStatus.isHeuristic(status) || control.isPublic || control.isPrivate
                || control.maxAge != .absent || entry.headers.hasField(.expires)
        else { return nil }
        var entry = entry
        entry.variant = variant
        let hasValidator = entry.entityTag != nil || entry.lastModified != nil
        let lifetime = Freshness(of: entry, at: entry.responseTime).lifetime
        if !hasValidator, control.isNoCache || (control.isMustRevalidate && lifetime == 0) { return nil }
        return entry
    }
}
