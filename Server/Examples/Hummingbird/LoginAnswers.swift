// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import HTTPTypes
import Hummingbird

/// Answers a login, by whichever mechanism.
func response(to result: LoginResult, of logins: LoginService) throws -> Response {
    switch result.decision {
    case .accepted:
        guard let session = result.session else { throw HTTPError(.serviceUnavailable) }  // the store is full
        var values = ["session": session.text]
        values["recent"] = try logins.recentLogin(of: result)
        return Response(status: .noContent, headers: cookies(values))
    case .rejected, .unknownMechanism: throw HTTPError(.unauthorized)
    case .codeRequired: throw HTTPError(.forbidden, message: "log in with your passkey")
    case .limited(let wait), .replayed(let wait):
        throw HTTPError(.tooManyRequests, headers: [.retryAfter: "\(wait.components.seconds)"])
    case .unavailable(let wait):
        throw HTTPError(.serviceUnavailable, headers: [.retryAfter: "\(wait.components.seconds)"])
    }
}

func cookies(_ values: [String: String]) -> HTTPFields {
    var headers = HTTPFields()
    for (name, value) in values {
        // Strict: no other site can send them.
        let cookie = "__Host-\(name)=\(value); Path=/; Secure; HttpOnly; SameSite=Strict"
        headers.append(HTTPField(name: .setCookie, value: cookie))
    }
    return headers
}
