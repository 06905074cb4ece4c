// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import HTTPTypes

/// Sends a request with a proof that this program holds the key of its tokens, and with a new proof each time
/// ([RFC 9449](https://www.rfc-editor.org/rfc/rfc9449)).
struct DPoPStage: RequestInterceptor {
    /// What a server has against a proof.
    private enum Objection: String {
        case useNonce = "use_dpop_nonce"
        case invalidProof = "invalid_dpop_proof"
    }

    private static let field = HTTPField.Name("DPoP")
    /// How often a request is sent again because the server had closed a kept connection.
    private static let retryLimit = 2
    /// From which difference of the clocks on, in seconds, they are named as the reason.
    private static let noticedSkew = 10

    let key: DPoPKey
    let nonces: DPoPNonces
    let role: DPoPNonces.Role
    /// The access token of the request, without its scheme; `nil` at a token endpoint.
    var token: String?
    let now: @Sendable () -> UnixTime

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        var (request, next) = (request, next)
        // The server may have received a request before its connection broke. The same proof would be a replay.
        next.sending.isSentOnce = true
        let url = try request.url(expecting: next.step.url)
        var nonce = nonces.nonce(of: url.origin, as: role)
        var (retryCount, isSecondNonce) = (0, false)
        while true {
            let proof = DPoPProof(method: request.method, url: url, token: token, nonce: nonce, time: now())
            if let name = Self.field {
                request.headerFields.replace(name, with: try key.sign(proof.claims))
            }
            var response: TransportResponse
            do throws(ClientError) {
                response = try await next(request, body: body)
            } catch {
                guard error.underlying is ClosedConnection, retryCount < Self.retryLimit else { throw error }
                guard !Task.isCancelled else { throw .cancelled }
                retryCount += 1
                next.sending.needsNewConnection = true
                continue
            }
            let fresh = nonces.take(response.head, of: url.origin, as: role)
            switch try await objection(in: &response, to: request.method, next) {
            case nil: return response
            case .invalidProof: throw refusal(response.head)
            case .useNonce:
                let status = response.head.status.code
                guard let fresh, fresh != nonce, !isSecondNonce else {
                    throw Self.error(
                        "the server wants a nonce in the proof of the login's key, and accepts none of its own "
                            + "(use_dpop_nonce)",
                        status
                    )
                }
                guard body?.isRepeatable ?? true else {
                    throw Self.error(
                        "the server wants a nonce (use_dpop_nonce), which is known now, but the request body cannot be "
                            + "sent again: create a new request",
                        status
                    )
                }
                try await BodyCollector.drain(response.body, of: response.head, deadline: next.deadline)
                (nonce, isSecondNonce) = (fresh, true)
            }
        }
    }

    /// Returns why a response refuses the proof; `nil` if it does not. A resource says this in a header, a token endpoint in its
    /// body.
    private func objection(
        in response: inout TransportResponse,
        to method: HTTPRequest.Method,
        _ next: RequestChain
    ) async throws(ClientError) -> Objection? {
        guard [400, 401].contains(response.head.status.code) else { return nil }
        for value in response.head.headerFields[values: .wwwAuthenticate] {
            // A malformed header says nothing.
            for challenge in (try? SCRAM.AuthenticationHeader.challenges([value])) ?? [] {
                guard let scheme = challenge.scheme, ASCIIText.lowercased(scheme) == "dpop",
                    let error = challenge["error"], let objection = Objection(rawValue: error)
                else { continue }
                return objection
            }
        }
        guard role == .authorization else { return nil }
        let bytes = try await next.call.collect(response, to: method)
        response.body = HTTPResponseBody(bytes)
        return TokenError.name(in: bytes).flatMap { Objection(rawValue: $0) }
    }

    /// The error for a proof that the server refuses. It would refuse the next one as well.
    private func refusal(_ head: HTTPResponse) -> ClientError {
        let refused = "the server refuses the proof of the login's key (invalid_dpop_proof)"
        let now = now()
        let status = head.status.code
        let date = head.headerFields[.date].flatMap { HTTPDate.parse($0, now: now) }
        guard let ahead = date.map({ ($0 - now).components.seconds }),
            ahead.magnitude >= UInt64(Self.noticedSkew)
        else { return Self.error("\(refused): log in again", status) }
        return ClientError(
            .clockSkew,
            message:
                "\(refused): its clock is \(ahead.magnitude) seconds \(ahead > 0 ? "ahead of" : "behind") this computer's: "
                + "set the clock that is wrong",
            statusCode: status
        )
    }

    private static func error(_ message: String, _ status: Int) -> ClientError {
        ClientError(.serverError, message: message, statusCode: status)
    }
}
