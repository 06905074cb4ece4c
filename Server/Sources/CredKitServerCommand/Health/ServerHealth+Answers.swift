// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import HTTPTypes

extension ServerHealth {
    private struct Report: Encodable {
        let status: String
        var failed: [String]?
    }

    /// Returns the answer to a request of `/health/live` or `/health/ready`; `nil` for any other path.
    func answer(to method: HTTPRequest.Method, _ path: String) async -> ServerAnswer? {
        switch path {
        case "/health/live":
            guard method == .get || method == .head else { return LoginServer.wrongMethod("GET") }
            return .json(Report(status: "live"))
        case "/health/ready":
            guard method == .get || method == .head else { return LoginServer.wrongMethod("GET") }
            let status = await self.status()
            guard !status.isReady else { return .json(Report(status: "ready")) }
            let word = status.phase == .serving ? "failing" : status.phase.rawValue
            return .json(
                Report(status: word, failed: status.failed.isEmpty ? nil : status.failed),
                status: .serviceUnavailable
            )
        default: return nil
        }
    }
}
