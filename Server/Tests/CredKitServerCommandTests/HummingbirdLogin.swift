// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Hummingbird
import NIOCore

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
/// Knows the address of the client, which the plain context does not.
struct LoginContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let clientAddress: String

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        clientAddress = ClientAddress.rateLimitKey(for: source.channel.remoteAddress?.ipAddress ?? "")
    }
}

func addLogin(to router: Router<LoginContext>, passwords: PasswordService, users: some LoginTable) {
    router.post("login") { request, context -> HTTPResponse.Status in
        let form = try await request.decode(as: LoginForm.self, context: context)
        let stored = try await users.hash(of: form.name)
        let answer = try await passwords.verify(
            form.password,
            against: stored,
            account: form.name,
            clientAddress: context.clientAddress
        )
        guard case .match(let newer) = answer else { return .unauthorized }
        if let stored, let newer { try await users.replaceHash(stored, of: form.name, with: newer) }
        return .ok
    }
}
