// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import HTTPTypes

/// Answers requests from stored responses, and stores responses. It sees each request of a redirect chain as it would be
/// sent.
struct CacheInterceptor: RequestInterceptor {
    let session: LoginSession
    let cache: ResponseCache
    let policy: CachePolicy
    let judge: ExpiryJudge
    /// Who signs the requests; `nil` for unsigned ones.
    let signer: String?

    /// One request and what is stored for it.
    struct Visit {
        let request: CacheRequest
        let location: CacheLocation
        let stored: [CachedResponse]
        let start: ResponseCache.Visit
        let next: RequestChain
        let body: HTTPRequestBody?
        /// Whether the caller has an answer already.
        var isInBackground = false

        var entries: [CacheEntry] { stored.map(\.entry) }

        /// Returns the stored body of an entry.
        func body(of entry: CacheEntry) -> [UInt8] {
            stored.first { $0.entry.variant == entry.variant }?.body ?? []
        }
    }

    var rules: CacheRules {
        var rules = CacheRules(digest: cache.digest)
        rules.servesStaleOffline = cache.configuration.servesStaleOffline
        rules.refreshesInBackground = cache.configuration.refreshesInBackground
        if let name = session.tokenField { rules.secretFields = [name] }
        return rules
    }

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        // A body that is read piece by piece is neither stored nor answered from the cache.
        let isUsed = next.call.collectsBody && policy != .noStore
        guard isUsed || !request.method.isSafe else {
            return try await server(next)(request, body: body)
        }
        // First, because it may forget everything.
        let now = cache.now()
        let start = cache.visit
        guard let location = location(of: request, next) else {
            return try await server(next)(request, body: body)
        }
        let visit = Visit(
            request: CacheRequest(method: request.method, url: next.step.url, headers: request.headerFields),
            location: location,
            stored: request.method.isSafe ? cache.responses(at: location) : [],
            start: start,
            next: next,
            body: body
        )
        // After a renewal, what is stored may be what the expired login got.
        let policy = next.attempt > 1 && policy != .onlyIfCached ? .reload : policy
        switch rules.decide(visit.request, stored: visit.entries, policy: policy, at: now) {
        case .notCached: throw .notCached
        case .send(let sending):
            _ = try server(next)
            return try await send(request, visit, sending)
        case .use(let answer, let refresh):
            if let refresh { self.refresh(request, visit, refresh) }
            return response(answer, visit)
        }
    }

    /// The stages up to the server, if it may be asked.
    private func server(_ next: RequestChain) throws(ClientError) -> RequestChain {
        guard !next.usesOnlyStored else { throw .notCached }
        return next
    }

    /// What the responses to a request belong to; `nil` if another user has logged in since it was begun.
    private func location(of request: HTTPRequest, _ next: RequestChain) -> CacheLocation? {
        let (account, user) = session.state.withLock { ($0.account, $0.logins.generation.user) }
        guard user == next.generation.user else { return nil }
        let fields = request.headerFields
        let names = [session.tokenField, .cookie, .authorization].compactMap { $0 }
        var own = next.ownCredentials
        // Without a login, the cookies are all that tells one user from another.
        if account == nil { for name in names { own += ["\(name)"] + fields[values: name] } }
        return CacheLocation(
            account: account,
            hasCredentials: names.contains { fields.hasField($0) },
            ownCredentials: own.isEmpty ? nil : cache.digest(own.flatMap { Array($0.utf8) + [0] }),
            isRedirectTainted: next.isRedirectTainted,
            // Servers know a caller by the key of its signatures.
            signer: session.signs(next) ? signer : nil,
            url: next.step.url
        )
    }

    /// Makes a response from a stored one.
    func response(_ answer: CacheAnswer, _ visit: Visit) -> TransportResponse {
        if !visit.isInBackground { visit.next.call.outcome.cacheUse = answer.use }
        let stored = visit.body(of: answer.entry)
        let isWhole = answer.body == 0..<Int64(stored.count)
        let body =
            isWhole ? stored : Array(stored.dropFirst(Int(answer.body.lowerBound)).prefix(answer.body.count))
        return TransportResponse(head: answer.head, body: HTTPResponseBody(body))
    }

    /// Sends a request in the background, whose response replaces the stored one.
    private func refresh(_ request: HTTPRequest, _ visit: Visit, _ sending: CacheSending) {
        guard cache.beginRefresh(of: visit.location) else { return }
        var visit = visit
        visit.isInBackground = true
        Task { [visit] in
            // The caller has an answer. Whether this fails is of no interest: the next request asks again.
            if let response = try? await send(request, visit, sending) {
                _ = try? await visit.next.call.collect(response, to: request.method)
            }
            cache.endRefresh(of: visit.location)
        }
    }
}
