// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension LoginSession {
    /// Throws if the saved login of this name used SCRAM, and this session would log in more weakly: an attacker who can
    /// change a profile, or talk a user into another one, would get the password or a proof without a server that has to
    /// prove itself. After a logout nothing is saved, and nothing is refused.
    func refuseDowngrade() async throws(ClientError) {
        guard let keychain, !configuration.allowsMechanismDowngrade,
            // What cannot be read is replaced by the login, or prevents its being saved.
            let key = try? await SessionKey(name: name, in: keychain),
            let saved = try? await file().read(key: key)
        else { return }
        try checkDowngrade(from: saved)
    }

    /// Throws if a saved login used SCRAM, and this session would log in more weakly.
    func checkDowngrade(from saved: SessionContents) throws(ClientError) {
        guard !configuration.allowsMechanismDowngrade,
            let old = (try? LoginProfile(json: saved.profile))?.mechanism as? SCRAMProfileMechanism
        else { return }
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
