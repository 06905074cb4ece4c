// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Shows each request as it is sent, and the head of its response, without secrets and without bodies.
struct TraceInterceptor: RequestInterceptor {
    let mask: SecretMask
    let show: @Sendable (String) -> Void

    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws(ClientError) -> TransportResponse {
        if next.redirectCount > 0 {
            let url = next.step.url
            show("* following a redirect to \(url.origin)\(mask.masked(target: url.path))")
        } else if next.attempt > 1 {
            show("* the login was renewed: sending the request again")
        }
        var next = next
        let size = body.map { body in body.byteCount.map { "\($0) bytes" } ?? "a stream" }
        // Each time that it is sent, and not if there is no connection.
        next.sending.noteConnection = { [mask, show] peer, tls in
            let place = peer.isEmpty ? "" : " to \(peer)"
            show("* connected\(place)\(tls.map { ", \($0)" } ?? ", unencrypted")")
            for line in mask.lines(of: request) { show("> \(line)") }
            if let size { show("* sending \(size)") }
        }
        let response = try await next(request, body: body)
        for line in mask.lines(of: response.head, to: request) { show("< \(line)") }
        return response
    }
}
