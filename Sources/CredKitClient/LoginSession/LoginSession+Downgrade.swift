// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension LoginSession {
    /// Throws if the saved login of this name used SCRAM or bound its tokens to a key, and this session would log in more
    /// weakly: an attacker who can change a profile, or talk a user into another one, would get the password or a proof without
    /// a server that has to prove itself, or tokens that anyone can use. After a logout nothing is saved, and nothing is
    /// refused.
    func refuseDowngrade() async throws(ClientError) {
        guard let keychain, !configuration.allowsMechanismDowngrade,
            // What cannot be read is replaced by the login, or prevents its being saved.
            let key = try? await SessionKey(name: name, in: keychain),
            let saved = try? await file().read(key: key)
        else { return }
        try checkDowngrade(from: saved)
    }

    /// Throws if a saved login used SCRAM or bound its tokens to a key, and this session would log in more weakly.
    func checkDowngrade(from saved: SessionContents) throws(ClientError) {
        guard !configuration.allowsMechanismDowngrade,
            let mechanism = (try? LoginProfile(json: saved.profile))?.mechanism
        else { return }
        if let old = mechanism as? OAuthMechanism {
            return try checkDowngrade(from: old.dpop, isBound: saved.boundKey != nil)
        }
        guard let old = mechanism as? SCRAMProfileMechanism else { return }
        try checkDowngrade(from: old)
    }

    /// Throws if tokens were bound to a key, and would not have to be any more.
    private func checkDowngrade(from old: DPoPMode?, isBound: Bool) throws(ClientError) {
        switch (old, dpopMode) {
        case (.required, .required), (.preferred, .preferred), (.preferred, .required), (nil, _): return
        case (.preferred, nil) where !isBound: return
        default:
            throw ClientError(
                .mechanismDowngrade,
                message:
                    "refusing a profile that does not \(dpopMode == nil ? "bind" : "require to bind") tokens to a key (dpop): "
                    + "those of the session '\(name)' are bound. If the server has really gone back, log out first, or allow it "
                    + "by name (allowsMechanismDowngrade)"
            )
        }
    }

    private func checkDowngrade(from old: SCRAMProfileMechanism) throws(ClientError) {
        guard let new = mechanism as? SCRAMProfileMechanism else {
            throw ClientError(
                .mechanismDowngrade,
                message:
                    "refusing to log in by '\(mechanism.name)': the session '\(name)' is logged in by SCRAM"
                    + ", which does not send the password and makes the server prove itself. If the server has really gone "
                    + "back, log out first, or allow it by name (allowsMechanismDowngrade)"
            )
        }
        if case .required(let kind) = old.channelBinding, new.channelBinding != old.channelBinding {
            // The exporter is stronger than the certificate.
            if kind == .serverEndPoint, new.channelBinding == .required(.exporter) { return }
            throw ClientError(
                .mechanismDowngrade,
                message:
                    "refusing to log in without \(kind.rawValue): the session '\(name)' is logged in with this channel "
                    + "binding. If the server has really gone back, log out first, or allow it by name "
                    + "(allowsMechanismDowngrade)"
            )
        }
    }
}
