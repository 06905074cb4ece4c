// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import HTTPTypes
import Hummingbird
import NIOCore

// The following lines are printed in docs/passkeys.md.
struct PasskeyForm: Decodable {
    let ceremony: String
    /// What the browser answered, as JSON.
    let response: String
    let name: String?
}

/// Adds `/passkey` for logins, and `/passkeys` for new passkeys of a user who has just logged in.
func addPasskeys(to router: Router<LoginContext>, logins: LoginService) {
    router.post("passkey/options") { request, _ -> Response in
        let browser = browser(of: request)
        guard let options = try logins.beginPasskeyLogin(browser: browser) else { throw HTTPError(.notFound) }
        return answer(options, browser)
    }
    router.post("passkey") { request, context -> Response in
        let form = try await request.decode(as: PasskeyForm.self, context: context)
        let result = try await logins.finishPasskeyLogin(
            ceremony: form.ceremony,
            response: Array(form.response.utf8),
            browser: browser(of: request),
            clientAddress: context.clientAddress,
            issuingSession: true
        )
        return try response(to: result, of: logins)
    }
    router.post("passkeys/options") { request, _ -> Response in
        let browser = browser(of: request)
        let start = try await logins.beginPasskeyEnrolment(with: permission(of: request), browser: browser)
        guard case .options(let options) = start else { throw HTTPError(.forbidden) }
        return answer(options, browser)
    }
    router.post("passkeys") { request, context -> Response in
        let form = try await request.decode(as: PasskeyForm.self, context: context)
        let enrolment = try await logins.finishPasskeyEnrolment(
            with: permission(of: request),
            ceremony: form.ceremony,
            response: Array(form.response.utf8),
            named: form.name ?? "",
            browser: browser(of: request)
        )
        guard case .enrolled = enrolment else { throw HTTPError(.badRequest) }
        return Response(status: .created)
    }
}

func permission(of request: Request) -> PasskeyPermission {
    .recentLogin(
        ticket: request.cookies["__Host-recent"]?.value ?? "",
        session: request.cookies["__Host-session"]?.value ?? ""
    )
}

/// The random cookie of the browser, or a new one.
func browser(of request: Request) -> String {
    request.cookies["__Host-browser"]?.value
        ?? Base64.urlSafe.unpadded.encode(SecureRandom.bytes(count: 32))
}

func answer(_ options: PasskeyOptions, _ browser: String) -> Response {
    // The options are JSON, and the ceremony is base64url.
    let text = #"{"ceremony":"\#(options.ceremony)","options":\#(options.json)}"#
    var headers = cookies(["browser": browser])
    headers[.contentType] = "application/json"
    headers[.cacheControl] = "no-store"
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
}
