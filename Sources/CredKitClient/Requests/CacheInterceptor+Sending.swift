// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import HTTPTypes

extension CacheInterceptor {
    /// Sends a request, and changes what is stored as its response says.
    func send(
        _ request: HTTPRequest,
        _ visit: Visit,
        _ sending: CacheSending
    ) async throws(ClientError) -> TransportResponse {
        var request = request
        for field in sending.fields { request.headerFields.replace(field.name, with: field.value) }
        let start = cache.now()
        var response: TransportResponse
        do throws(ClientError) {
            response = try await visit.next(request, body: visit.body)
        } catch {
            guard Self.unreachable.contains(error.code),
                let answer = rules.fallback(
                    after: .unreachable,
                    of: sending,
                    to: visit.request,
                    at: cache.now()
                )
            else { throw error }
            return self.response(answer, visit)
        }
        // The stage that stores cookies and token sees only what is handed on.
        if visit.isInBackground { SessionCredentials(session: session).store(response.head, visit.next) }
        let outcome = rules.receive(
            response.head,
            to: visit.request,
            sent: sending,
            stored: visit.entries,
            times: ExchangeTimes(request: start, response: cache.now())
        )
        apply(outcome, visit)
        switch outcome.reply {
        case .stored(let answer):
            var reused = self.response(answer, visit)
            reused.head.headerFields.append(contentsOf: credentials(in: response.head))
            return reused
        // It has no conditions, so that the server cannot answer in this way again.
        case .sendAgain(let again):
            SessionCredentials(session: session).store(response.head, visit.next)
            return try await send(request.withoutConditions, visit, again)
        case .received:
            guard let entry = outcome.storing else { return response }
            // The head must not wait for the body: it may have cookies for the session.
            if let bytes = response.body.bytes {
                store(entry, bytes, outcome.removals, visit)
            } else {
                response.body = response.body.noting(upTo: cache.maximumResponseByteCount) {
                    store(entry, $0, outcome.removals, visit)
                }
            }
            return response
        }
    }

    /// The failures in whose place a stored response may be used. Never one that an attacker has brought about to hide
    /// something newer, such as a certificate that is not trusted.
    private static let unreachable: Set<ClientError.Code> = [.noConnection, .noResponse, .timedOut]

    /// Cookies and token of a response that is not handed on itself: they belong to the session.
    private func credentials(in head: HTTPResponse) -> [HTTPField] {
        head.headerFields.filter { $0.name == .setCookie || $0.name == session.tokenField }
    }

    private func apply(_ outcome: CacheOutcome, _ visit: Visit) {
        // What a new response replaces may be needed if its body does not come.
        if outcome.storing == nil { remove(outcome.removals, visit) }
        if isSameUser(visit) {
            for update in outcome.updates {
                let body = visit.body(of: update.old)
                cache.store(CachedResponse(entry: update.new, body: body), at: visit.location, visit.start)
            }
        }
        guard !outcome.invalidated.isEmpty else { return }
        // What requests with other credentials got may be out of date as well.
        let account = session.account
        let signers = Set([signer, session.configuration.signer?.identity].compactMap { $0 })
        cache.invalidate(
            outcome.invalidated.flatMap { url in
                CacheLocation.all(of: account, signers: signers, url: url) + [visit.location.at(url)]
            }
        )
    }

    /// Stores a complete response, unless it means that the login has expired, or the user has changed meanwhile.
    private func store(
        _ entry: CacheEntry,
        _ bytes: [UInt8],
        _ replaced: [CacheEntry],
        _ visit: Visit
    ) {
        let target = try? session.runner.rules.target(
            of: HTTPResponse(status: entry.status, headerFields: entry.headers),
            at: visit.next.step
        )
        guard let entry = entry.completed(bodyLength: Int64(bytes.count)), isSameUser(visit),
            !judge.isExpired(status: entry.status.code, body: bytes),
            // Another call may read the same response with the session's envelope.
            !judge.reading(session.envelope).isExpired(status: entry.status.code, body: bytes),
            target.map({ judge.isLoginPage($0) }) != true
        else { return }
        remove(replaced.filter { $0.variant != entry.variant }, visit)
        cache.store(CachedResponse(entry: entry, body: bytes), at: visit.location, visit.start)
    }

    private func remove(_ entries: [CacheEntry], _ visit: Visit) {
        guard !entries.isEmpty else { return }
        cache.remove(entries.map(\.variant), at: visit.location)
    }

    private func isSameUser(_ visit: Visit) -> Bool {
        let user = visit.next.generation.user
        return session.state.withLock { $0.logins.generation.user == user }
    }
}

extension HTTPRequest {
    /// The same without the conditions that a cache adds.
    fileprivate var withoutConditions: HTTPRequest {
        var request = self
        request.headerFields[.ifNoneMatch] = nil
        request.headerFields[.ifModifiedSince] = nil
        return request
    }
}
