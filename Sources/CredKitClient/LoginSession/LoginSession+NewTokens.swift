// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import Logging

extension LoginSession {
    /// Completes a login whose tokens the user has just allowed: stores them, or else revokes them.
    ///
    /// - Parameters:
    ///   - login: The login.
    ///   - username: The name that it is saved under.
    ///   - savesToken: Whether to save the refresh token.
    ///   - flow: What it is a login of.
    /// - Throws: The error of the keychain or the session file; ``ClientError/mechanismDowngrade``;
    ///   ``ClientError/cancelled``.
    func completeLogin(
        _ login: LoginFlow.Login,
        username: String,
        savesToken: Bool,
        _ flow: LoginFlow
    ) async throws(ClientError) {
        if let failure = login.failure {
            // The refresh token of an answer that cannot be used otherwise.
            await revoke(login, of: username, flow)
            throw failure
        }
        // The caller can be cancelled while the login goes on: the first of them decides.
        let isUsed = Lock<Bool?>(nil)
        @Sendable func decide(_ use: Bool) -> Bool {
            isUsed.withLock { isUsed in
                if isUsed == nil { isUsed = use }
                return isUsed == use
            }
        }
        do throws(ClientError) {
            try await inTurnForCaller { () async throws(ClientError) in
                try await self.performLogin(username: username, secret: nil, savesSecret: savesToken) {
                    (_, _) async throws(ClientError) in
                    guard decide(true) else { throw .cancelled }
                    return login
                }
            }
        } catch {
            // Nothing has these tokens, but they are valid.
            if decide(false) { await revoke(login, of: username, flow) }
            throw error
        }
    }

    /// Revokes the tokens of a login that was not completed.
    func revoke(_ login: LoginFlow.Login, of account: String, _ flow: LoginFlow) async {
        let deadline = ContinuousClock.now + Self.serverDeadline
        do throws(ClientError) {
            try await shielded { () async throws(ClientError) in
                try await flow.logOut(
                    account,
                    secret: login.newSecret,
                    token: login.token,
                    jar: login.jar,
                    deadline: deadline
                )
            }
        } catch {
            configuration.logger.notice(
                "cannot revoke the tokens of a login that was not completed",
                metadata: ["session": "\(name)", "error": "\(error)"]
            )
        }
    }
}
