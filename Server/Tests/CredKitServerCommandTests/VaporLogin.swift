// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer

/// The declarations of Vapor 4 and Fluent 4 that the adapter uses, as published: Vapor is too large to be fetched for
/// ten lines, so that they are compiled and not run.
struct BasicAuthorization {
    let username: String
    let password: String
}
protocol AsyncBasicAuthenticator: Sendable {
    func authenticate(basic: BasicAuthorization, for request: Request) async throws
}
struct Request: Sendable {
    struct Authentication: Sendable {
        func login(_ user: User) {}
    }
    struct Address: Sendable {
        let ipAddress: String?
    }
    let auth = Authentication()
    let remoteAddress: Address?
    let db = Database()
}
struct Database: Sendable {}
final class User: Sendable {
    var passwordHash: String {
        get { "" }
        set {}
    }
    static func find(_ name: String?, on database: Database) async throws -> User? { nil }
    func update(on database: Database) async throws {}
}

// The following lines are printed in docs/frameworks.md.
struct UserAuthenticator: AsyncBasicAuthenticator {
    let passwords: PasswordService

    func authenticate(basic: BasicAuthorization, for request: Request) async throws {
        let user = try await User.find(basic.username, on: request.db)
        let answer = try await passwords.verify(
            basic.password,
            against: user?.passwordHash,
            account: basic.username,
            clientAddress: ClientAddress.rateLimitKey(for: request.remoteAddress?.ipAddress ?? "")
        )
        guard case .match(let newer) = answer, let user else { return }
        if let newer {
            user.passwordHash = newer
            try await user.update(on: request.db)
        }
        request.auth.login(user)
    }
}
