// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import Hummingbird

// The following lines are printed in docs/frameworks.md.
struct LoginForm: Decodable {
    let name: String
    let password: String
}

func addLogin(to router: Router<LoginContext>, logins: LoginService) {
    router.post("login") { request, context -> Response in
        let form = try await request.decode(as: LoginForm.self, context: context)
        let attempt = LoginAttempt(
            username: form.name,
            response: form.password,
            clientAddress: context.clientAddress
        )
        let result = try await logins.logInReturningAnswer(
            with: PasswordMechanism.name,
            attempt,
            issuingSession: true
        )
        return try response(to: result, of: logins)
    }
    router.post("logout") { request, _ -> Response in
        if let token = request.cookies["__Host-session"]?.value { try await logins.sessions.revoke(token) }
        return Response(status: .noContent, headers: cookies(["session": ""]))
    }
}
