// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Hummingbird

/// The users of an application: a table with one hash each.
protocol LoginTable: Sendable {
    func hash(of name: String) async throws -> String?
    func replaceHash(_ hash: String, of name: String, with newer: String) async throws
}

struct LoginForm: Decodable {
    let name: String
    let password: String
}

// The following lines are printed in docs/frameworks.md.
func addLogin(to router: Router<BasicRequestContext>, passwords: PasswordService, users: some LoginTable) {
    router.post("login") { request, context -> HTTPResponse.Status in
        let form = try await request.decode(as: LoginForm.self, context: context)
        let stored = try await users.hash(of: form.name)
        guard case .match(let newer) = try await passwords.verify(form.password, against: stored) else {
            return .unauthorized
        }
        if let stored, let newer { try await users.replaceHash(stored, of: form.name, with: newer) }
        return .ok
    }
}
