// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import CredKitKeychain
internal import Logging

/// Logins that replace their secret, which several programs of this account share: see
/// ``LoginMechanism/replacesSecret``.
extension LoginSession {
    /// How long to wait for another program's renewal beyond the time that a request has.
    private static let lockMargin = Duration.seconds(5)

    /// Runs a renewal or a logout while no other program of this account does the same for this login.
    func withSecretLock<Value: Sendable>(
        timeout: Duration? = nil,
        _ body: () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        guard keychain != nil else { return try await body() }
        let folder = try file().folder
        let lock: ActivityLock
        do throws(KeychainError) {
            lock = try await ActivityLock.acquire(
                .renewal(service: service, account: account ?? ""),
                in: folder,
                timeout: timeout ?? min(runner.total, .seconds(3600)) + Self.lockMargin
            )
        } catch {
            throw .keychain(error)
        }
        let result: Result<Value, ClientError>
        do throws(ClientError) {
            result = .success(try await body())
        } catch {
            result = .failure(error)
        }
        lock.release()
        return try result.get()
    }

    /// Takes over the token that another program has obtained for this login in the meantime, and saved.
    ///
    /// - Parameter sent: The login that a request was sent with.
    /// - Returns: Whether there was one.
    /// - Throws: ``ClientError/outOfMemory``.
    func adoptSavedToken(after sent: RenewalState.Generation) async throws(ClientError) -> Bool {
        guard let key = state.withLock({ $0.key }),
            // A file that cannot be read has no newer token.
            let contents = try? await file().read(key: key),
            let token = try Self.token(of: contents)
        else { return false }
        let now = now()
        let expiry = contents.tokenExpiry.map { UnixTime($0) }
        guard expiry.map({ now < $0 }) ?? true else { return false }
        return state.withLock { state in
            guard state.logins.expired(sent) == .renew, state.loginID == contents.loginID,
                state.token.map({ $0 != token }) ?? true
            else { return false }
            state.token = token
            state.tokenExpiry = expiry
            state.logins.renewed()
            return true
        }
    }

    /// Stores the secret that replaces the one of a login. If the keychain does not take it, the session keeps it in
    /// memory: the old one is used up.
    func keep(_ newSecret: SecretBytes) async {
        state.withLock { $0.unsavedSecret = newSecret }
        do throws(ClientError) {
            try await storeUnsavedSecret()
        } catch {
            configuration.logger.error(
                "cannot save the new secret of a login: later processes must log in again",
                metadata: ["session": "\(name)", "error": "\(error)"]
            )
        }
    }

    /// Stores a secret that the keychain did not take before.
    func storeUnsavedSecret() async throws(ClientError) {
        let (account, secret) = state.withLock { ($0.account, $0.unsavedSecret) }
        guard let keychain, let account, let secret else { return }
        try await store(secret, of: account, in: keychain)
        state.withLock { state in
            if state.unsavedSecret == secret { state.unsavedSecret = nil }
        }
    }

    /// Saves the session before other programs continue.
    func saveNow() async {
        do throws(ClientError) {
            try await save(isNew: false)
        } catch {
            configuration.logger.warning(
                "cannot save the session",
                metadata: ["session": "\(name)", "error": "\(error)"]
            )
        }
    }
}
