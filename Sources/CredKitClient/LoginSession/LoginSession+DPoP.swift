// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import CredKitKeychain
internal import Logging

/// The keys that tokens are bound to: see ``DPoPMode``.
///
/// The keychain gets a key together with the refresh token, beside it: each program that renews the login finds both, and one
/// that ends before leaves nothing. If the refresh token is not saved, the key has an item of the session. The session file names
/// the key of its access token.
extension LoginSession {
    /// Says that a login is not bound although the profile prefers that.
    func reportUnboundLogin() {
        guard dpopMode == .preferred, state.withLock({ $0.boundKey == nil }) else { return }
        configuration.reportUnboundTokens(["session": "\(name)"])
    }

    /// How a new login binds its tokens; `nil` if it does not.
    var dpopOfNewLogin: DPoPLogin? { dpopMode.map { dpop(key: nil, isBound: false, $0) } }

    /// Returns how a renewal binds its tokens; `nil` if it does not.
    ///
    /// - Throws: ``ClientError/reauthenticationRequired`` if the key is missing; the error of the keychain.
    func dpopOfRenewal(of account: String) async throws(ClientError) -> DPoPLogin? {
        guard let dpopMode else { return nil }
        let (held, thumbprint) = state.withLock { ($0.heldSecret, $0.boundThumbprint) }
        var key = held?.key
        if held == nil, let keychain, let place = DPoPKeyItem.beside(secretKey(of: account)) {
            key = try await DPoPKeyItem.read(place, in: keychain)
        }
        if let key { return dpop(key: key, isBound: thumbprint != nil, dpopMode) }
        // A login of a time when the profile did not name this yet goes on without a key.
        guard dpopMode == .preferred, thumbprint == nil else {
            throw .reauthenticationRequired(
                "the key that the tokens of the session '\(name)' are bound to is not in the keychain: log in again"
            )
        }
        return nil
    }

    private func dpop(key: DPoPKey?, isBound: Bool, _ mode: DPoPMode) -> DPoPLogin {
        DPoPLogin(
            key: key,
            requiresBoundToken: mode == .required || isBound,
            nonces: dpopNonces,
            session: name,
            keychain: keychain
        )
    }

    /// Returns the key that the access token of a saved login is bound to; `nil` if it is not bound, or the key is missing.
    func boundKey(of contents: SessionContents) async throws(ClientError) -> DPoPKey? {
        guard dpopMode != nil, let keychain, let thumbprint = contents.boundKey else { return nil }
        if let known = state.withLock({ $0.boundKey }), known.thumbprint() == thumbprint { return known }
        let secret = secretKey(of: contents).flatMap(DPoPKeyItem.beside)
        let place = secret ?? DPoPKeyItem.ofSession(name, thumbprint)
        let key = try await DPoPKeyItem.read(place, in: keychain)
        return key?.thumbprint() == thumbprint ? key : nil
    }

    /// Removes what earlier logins of this session have left, and keeps the key of a login whose refresh token is not saved.
    func keepKeys(isSecretSaved: Bool, in keychain: Keychain) async throws(ClientError) {
        guard mechanism is OAuthMechanism else { return }
        let bound = isSecretSaved ? nil : state.withLock { $0.boundKey }
        let place = bound.map { DPoPKeyItem.ofSession(name, $0.thumbprint()) }
        if let bound, let place { try await DPoPKeyItem.store(bound, at: place, in: keychain) }
        try await DPoPKeyItem.removeAll(ofSession: name, but: place, in: keychain)
    }
}

extension LoginSession.Configuration {
    /// Says that a server does not bind tokens to a key although that was asked for.
    func reportUnboundTokens(_ metadata: Logger.Metadata) {
        let message = "the server does not bind the tokens to a key: a stolen one can be used"
        logger.notice("\(message)", metadata: metadata)
        notice?(message)
    }
}
