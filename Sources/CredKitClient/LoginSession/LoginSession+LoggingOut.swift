// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain
internal import HTTPTypes
internal import Logging

extension LoginSession {
    /// How long the server may take to hear of a logout.
    private static let serverDeadline = Duration.seconds(5)

    /// Logs out, and leaves nothing behind: requests under way are cancelled, the server is told, cookies and token are
    /// forgotten, their file and its key are removed, and so is the password if this session has saved it.
    ///
    /// What the server answers, or whether it answers, changes nothing.
    ///
    /// - Throws: ``LoginError/keychain`` or ``LoginError/storage`` when something could not be removed. Everything else is
    ///   removed all the same.
    public func logOut() async throws(LoginError) {
        state.withLock { $0.cancelRenewal }?()
        cancelAll()
        try await inTurnForCaller { () async throws(LoginError) in try await self.performLogout() }
    }

    private func performLogout() async throws(LoginError) {
        let (account, savesPassword) = state.withLock { ($0.account, $0.savesPassword) }
        if account != nil { await tellServer() }
        state.withLock { $0.forgetUser() }
        if let account {
            configuration.logger.info("logged out", metadata: ["session": "\(name)"])
            events.send(.loggedOut(account: account))
        }
        guard let keychain else { return }
        // The key first: without it the file is of no use to anybody.
        var failure: LoginError?
        func attempt(_ step: () async throws(LoginError) -> Void) async {
            do throws(LoginError) { try await step() } catch { failure = failure ?? error }
        }
        await attempt { () async throws(LoginError) in
            try await SessionKey.delete(name: self.name, in: keychain)
        }
        await attempt { () async throws(LoginError) in try await self.file().remove() }
        if let account, savesPassword {
            await attempt { () async throws(LoginError) in
                do throws(KeychainError) {
                    try await keychain.deletePassword(service: self.service, account: account)
                } catch {
                    throw .keychain(error)
                }
            }
        }
        if let failure { throw failure }
    }

    private func tellServer() async {
        guard let path = profile.logoutPath, let url = try? server.appending(path: path) else { return }
        let decorator = SessionDecorator(
            session: self,
            generation: state.withLock { $0.logins.generation },
            tokenField: profile.tokenHeader.flatMap { HTTPField.Name($0) }
        )
        var headers = configuration.headers
        headers[.contentType] = "application/x-www-form-urlencoded"
        let request = OutgoingRequest(method: .post, url: url, headers: headers, body: RequestBody([]))
        do throws(LoginError) {
            _ = try await runner.run(request, decorator: decorator, deadline: .now + Self.serverDeadline)
        } catch {
            configuration.logger.notice(
                "the server did not hear of the logout",
                metadata: ["session": "\(name)", "error": "\(error)"]
            )
        }
    }
}
