// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import Hummingbird

/// A site with a login: `swift run --package-path Server HummingbirdExample`. Its only user, alice, has the password
/// `correct horse`.
@main
struct Example {
    static func main() async throws {
        let passwords = try PasswordService(context: PasswordContext())
        let hash = try PasswordContext().hash("correct horse")
        let users = InMemoryAccounts([LoginAccount(name: "alice", credential: try StoredCredential(hash))])
        let origins = ["http://localhost:8080"]
        let site = try WebAuthn.RelyingParty(id: "localhost", name: "Example", origins: origins)
        let logins = try LoginService(
            accounts: users,  // your table
            mechanisms: [.password(passwords), PasskeyMechanism(site, store: InMemoryPasskeyStore())],
            storage: .memory(isFirstStart: true)  // several servers: .postgreSQL or .redis
        )
        let address = BindAddress.hostname("127.0.0.1", port: 8080)
        try await Application(router: router(logins), configuration: .init(address: address)).runService()
    }

    static func router(_ logins: LoginService) -> Router<LoginContext> {
        let router = Router(context: LoginContext.self)
        addLogin(to: router, logins: logins)
        addPasskeys(to: router, logins: logins)
        let users = router.group().add(middleware: LoginMiddleware(sessions: logins.sessions))
        users.get("me") { _, context in context.user ?? "" }
        return router
    }
}
