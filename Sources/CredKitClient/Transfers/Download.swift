// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import HTTPTypes

/// One download of a file: the requests, and the file.
struct Download: Sendable {
    let session: LoginSession
    let request: OutgoingRequest
    let callOptions: LoginSession.CallOptions
    let options: DownloadOptions
    let maximumByteCount: Int64
    let reporter: ProgressReporter

    /// How often a server may send less than it was asked for. Each time the file becomes longer.
    private static let maximumRequestCount = 100

    func run(to path: String) async throws(ClientError) -> DownloadedFile {
        guard !Task.isCancelled else { throw .cancelled }
        for name in [HTTPField.Name.range, .ifRange] where request.headers.hasField(name) {
            throw .invalidRequest("invalid request: the header \(name.canonicalName) is set by a download")
        }
        guard !options.contains(.resume) || request.method == .get else {
            throw .invalidRequest("only a GET request can be resumed")
        }
        let (account, user, login) = session.state.withLock { state in
            (state.account, state.logins.generation.user, state.provesAccount ? nil : state.loginID)
        }
        var owner = [request.url.absoluteString, account.map { "user \($0)" } ?? "no user"]
        // The name of such a login is only a label, which another user's login may have had.
        if let login { owner.append("login \(login)") }
        let file = try await PartialDownload(path, owner: owner)
        do throws(ClientError) {
            let result = try await transfer(file, as: user)
            reporter.finish()
            return result
        } catch {
            reporter.finish()
            await file.interrupt()
            throw error
        }
    }

    private func transfer(_ file: PartialDownload, as user: Int) async throws(ClientError)
        -> DownloadedFile
    {
        var part = options.contains(.resume) ? try await file.part() : nil
        let resumed = part?.byteCount ?? 0
        var asksForLastByte = false
        var (hasBegun, isReported) = (false, false)
        var digests: [DownloadDigest] = []
        for _ in 0..<Self.maximumRequestCount {
            let plan = DownloadPlan(part, asksForLastByte: asksForLastByte)
            asksForLastByte = false
            let response = try await ask(plan, as: user)
            guard session.userNumber == user else { throw LoginSession.otherUser }
            switch plan.judge(response.head) {
            case .fail(let error):
                guard error == .unexpectedStatus else { throw error }
                let start = await Self.start(of: response)
                throw session.withoutCredentials(.unexpectedStatus(response.head, start))
            case .askForLastByte: asksForLastByte = true
            case .askForWhole:
                // Bytes of this download are from the same server: it does not keep its word.
                guard !hasBegun else {
                    throw .malformedResponse("the file has changed while it was downloaded")
                }
                part = nil
            case .begin(let total):
                guard !hasBegun else {
                    throw .malformedResponse("the file has changed while it was downloaded")
                }
                let shown = response.head.headerFields.hasField(.contentEncoding) ? nil : total
                reporter.begin(of: shown)
                try checkSize(total ?? 0)
                let isKept = options.contains(.resume)
                try await file.begin(isKept ? DownloadValidator(response.head) : nil, total: total)
                let count = try await write(response, to: file, from: 0, upTo: total)
                digests = DownloadDigest.all(in: response.head, content: 0..<count, of: count)
                return try await finish(file, count, total, 0, digests, response.head)
            case .go(let start, let end, let total):
                try checkSize(total)
                if !isReported { reporter.begin(at: start, of: total) }
                (hasBegun, isReported) = (true, true)
                let count = try await write(response, to: file, from: start, upTo: end)
                guard count == end else { throw Self.cut }
                digests += DownloadDigest.all(in: response.head, content: start..<end, of: total)
                part?.byteCount = end
                part?.total = total
                if end == total {
                    return try await finish(file, total, total, resumed, digests, response.head)
                }
            case .done:
                if !isReported { reporter.begin(at: resumed, of: resumed) }
                return try await finish(file, resumed, resumed, resumed, [], response.head)
            }
        }
        throw .malformedResponse("the server sends the file in more than \(Self.maximumRequestCount) parts")
    }

    static let cut = ClientError.noResponse(
        "the connection ended before the file was complete"
    )

    /// Reads the body of an error, which may say why; `nil` if it is large or does not arrive soon.
    private static func start(of response: FinalResponse<HTTPResponseBody>) async -> [UInt8]? {
        let body = try? await response.body.buffering(
            upTo: ServerMessage.maximumByteCount,
            deadline: .now.advanced(by: .seconds(1))
        ) { _ in true }
        return body?.bytes
    }

    /// Sends a request, and judges whether its response can be a file.
    private func ask(_ plan: DownloadPlan, as user: Int) async throws(ClientError) -> FinalResponse<
        HTTPResponseBody
    > {
        var request = request
        plan.fill(&request.headers)
        var callOptions = callOptions
        callOptions.user = user
        var response = try await session.stream(request, callOptions)
        guard response.outcome.stoppedAt == nil else { throw .reauthenticationRequired }
        guard !response.outcome.isExpired || response.head.status.code >= 400 else {
            throw .reauthenticationRequired
        }
        let envelope = callOptions.envelope
        response.body = try await envelope.read(
            TransportResponse(head: response.head, body: response.body),
            deadline: session.runner.deadline
        )
        if let bytes = response.body.bytes, let (code, message) = envelope.outcome(of: bytes),
            !envelope.successCodes.contains(code)
        {
            let status = response.head.status.code
            throw session.withoutCredentials(.refusal(message, code: code, status: status))
        }
        return response
    }
}
