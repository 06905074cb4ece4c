// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import HTTPTypes

/// Shares, replaces or ignores requests to an endpoint to which one is under way.
struct DuplicateInterceptor: RequestInterceptor {
    let session: LoginSession
    let policy: DuplicatePolicy?
    let envelope: Envelope
    let cachePolicy: CachePolicy
    /// Who signs the requests; `nil` for unsigned ones.
    let signer: String?
    /// The user who may send the request; `nil` for the current one.
    var user: Int?

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        let underWay = session.underWay
        guard !request.method.isSafe else { return try await apply(request, body, next) }
        // A response that was begun before this request, or while the server handled it, may be out of date. An equal
        // request may be shared all the same.
        let key = policy == .share ? try key(of: request, body, next) : nil
        underWay.closeAll(except: key)
        defer { underWay.closeAll(except: key) }
        return try await apply(request, body, next)
    }

    private func apply(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?,
        _ next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        let underWay = session.underWay
        let isReading = request.method == .get || request.method == .head
        switch policy ?? (isReading ? .share : .allow) {
        case .allow: return try await next(request, body: body)
        case .share: return try await share(request, body, next)
        case .replace:
            let hold = underWay.replaceHolder(of: .replacing(request))
            return try await run(request, body, next, hold)
        case .ignore:
            let user = session.state.withLock { $0.logins.generation.user }
            guard let hold = underWay.hold(.ignoring(request, of: user)) else { throw .duplicateRequest }
            return try await run(request, body, next, hold)
        }
    }

    /// Sends a request that holds its endpoint until its response was read or dropped.
    private func run(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?,
        _ next: RequestChain,
        _ hold: EndpointHold
    ) async throws(ClientError) -> TransportResponse {
        let isReading = request.method == .get || request.method == .head
        do throws(ClientError) {
            var response = try await hold.work.run { () async throws(ClientError) in
                try await isReading ? share(request, body, next) : next(request, body: body)
            }
            response.body = response.body.holding(hold)
            return response
        } catch {
            hold.end()
            throw error
        }
    }

    private func share(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?,
        _ next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        // A stream can be read once, by one caller.
        if case .stream? = body?.content { return try await next(request, body: body) }
        guard next.call.collectsBody else { return try await next(request, body: body) }
        if let stored = try await stored(request, body, next) { return stored }
        let underWay = session.underWay
        let key = try key(of: request, body, next)
        while true {
            guard !Task.isCancelled else { throw .cancelled }
            let (shared, isNew) = underWay.join(key, until: next.deadline)
            defer { underWay.leave(shared) }
            if isNew {
                shared.begin { () async throws(ClientError) in
                    // The renewal, which is the next stage, has collected its body.
                    let response = try await next(request, body: body)
                    return (response, next.call.outcome)
                } isDone: {
                    underWay.close(shared)
                }
            }
            do throws(ClientError) {
                let answer =
                    isNew
                    ? try await shared.value()
                    : try await RequestDeadline.run(until: next.deadline) {
                        () async throws(ClientError) in
                        try await shared.value()
                    }
                next.call.outcome = answer.outcome
                return answer.response
            } catch {
                // The time of the caller that began it may be over, but not that of this one.
                let now = ContinuousClock.now
                guard error == .timedOut, !isNew, shared.deadline <= now, now < next.deadline else {
                    throw error
                }
            }
        }
    }

    /// Returns a stored response, which need not be shared: there is nothing to wait for. `nil` if a server must be asked.
    private func stored(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?,
        _ next: RequestChain
    ) async throws(ClientError) -> TransportResponse? {
        // Stages of the program would see the request twice.
        guard session.cache != nil, session.interceptors == nil, cachePolicy == .default,
            request.method.isSafe
        else { return nil }
        var next = next
        next.usesOnlyStored = true
        do throws(ClientError) {
            return try await next(request, body: body)
        } catch {
            guard error == .notCached else { throw error }
            return nil
        }
    }

    private func key(
        of request: HTTPRequest,
        _ body: HTTPRequestBody?,
        _ next: RequestChain
    ) throws(ClientError) -> SharedRequest.Key {
        var headers: [UInt8] = []
        for field in request.headerFields {
            headers += field.name.canonicalName.utf8
            headers.append(UInt8(ascii: ":"))
            // As text, bytes that are no UTF-8 would all be the same.
            unsafe field.withUnsafeBytesOfValue { unsafe headers += $0 }
            headers.append(UInt8(ascii: "\n"))
        }
        var bytes: [UInt8]?
        if case .bytes(let content)? = body?.content { bytes = content }
        return SharedRequest.Key(
            method: request.method,
            url: try request.url(expecting: next.step.url),
            headers: headers,
            body: bytes,
            user: user ?? session.state.withLock { $0.logins.generation.user },
            signer: signer,
            envelope: envelope,
            cachePolicy: cachePolicy
        )
    }
}

extension HTTPRequest.Method {
    /// Whether the method only reads, RFC 9110 section 9.2.1.
    var isSafe: Bool { [.get, .head, .options, .trace].contains(self) }
}
