// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes
import Hummingbird

/// Answers on the listener of the metrics: `/metrics` and the endpoints of the health.
struct MetricsServer: HTTPResponder {
    typealias Context = ServerContext

    let metrics: ServerMetrics
    let health: ServerHealth

    func respond(to request: Request, context: ServerContext) async throws -> Response {
        let path = request.uri.path
        let answer: ServerAnswer
        if let status = await health.answer(to: request.method, path) {
            answer = status
        } else if path != "/metrics" {
            answer = .refusal(
                .notFound,
                "there is no such endpoint; use /metrics, /health/live or /health/ready"
            )
        } else if request.method != .get && request.method != .head {
            answer = LoginServer.wrongMethod("GET")
        } else {
            var text = ServerAnswer.text(metrics.registry.text)
            text.headers[.contentType] = PrometheusText.contentType
            answer = text
        }
        return answer.response(to: request, on: context.channel)
    }
}
