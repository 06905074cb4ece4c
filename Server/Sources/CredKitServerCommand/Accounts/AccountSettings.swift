// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

/// What users can change themselves.
struct AccountSettings: Sendable {
    /// The program that tells users; `nil` for none.
    var notify: NotifyCommand?
    /// The name of the server in authenticator apps.
    var otpIssuer: String
    /// Whether users can set up one-time codes.
    var offersCodes = false
    /// Whether users can get recovery codes.
    var offersRecoveryCodes = false
    /// Whether users can change passwords.
    var canWritePasswords = false
    /// Seals links.
    let key: SecretBytes
    /// Where `credkit-server users` finds the key of a single server.
    var keyFile: LinkKeyFile?
    /// What a new password must be like.
    var requirements = PasswordRequirements()

    /// Returns the settings of the library; `nil` if passwords cannot be changed.
    ///
    /// - Parameters:
    ///   - passwords: Hashes new passwords.
    ///   - log: Gets a line for each change.
    /// - Returns: The settings.
    /// - Throws: `LoginServerError` if there is no memory for the key.
    func configuration(
        _ passwords: PasswordService,
        _ log: ServerLog
    ) throws(LoginServerError) -> AccountConfiguration? {
        guard canWritePasswords else { return nil }
        var configuration = try AccountConfiguration(
            key: key,
            passwords: passwords,
            requirements: requirements
        )
        configuration.serviceNames = [otpIssuer]
        configuration.onEvent = { event in
            let (user, client) = (event.account, event.clientAddress)
            switch event.kind {
            case .passwordChanged(let proof):
                switch proof {
                case .oldPassword: log.audit(.passwordChanged, user: user, proof: .password, client: client)
                case .link: log.audit(.passwordSet, user: user, proof: .link, client: client)
                }
                tell(.passwordChanged, user: user, log)
            case .wrongPassword: log.audit(.wrongPassword, user: user, proof: .session, client: client)
            // The commands of the server make them, and tell the user themselves.
            case .linkMade(.invitation): log.audit(.invitationMade, user: user, proof: .operator, client: nil)
            case .linkMade(.reset): log.audit(.resetMade, user: user, proof: .operator, client: nil)
            }
        }
        return configuration
    }

    /// Tells a user what was changed, if there is a program for it. Returns at once: the change is done.
    ///
    /// - Parameters:
    ///   - event: What was changed.
    ///   - user: The name of the account.
    ///   - log: Gets an error if the program fails.
    func tell(_ event: NotifyCommand.Event, user: String, _ log: ServerLog) {
        guard let notify else { return }
        Task.detached {
            do {
                try await notify.tell(event, user: user)
            } catch {
                let reason = (error as? CommandFailure)?.message ?? "\(error)"
                log.note(.error, "notify", "a user was not told of a change: \(reason)")
            }
        }
    }

    /// Lets `credkit-server users` make links for this server.
    ///
    /// - Parameter log: Gets an error if the key cannot be written. Logins do not need it.
    func publishKey(_ log: ServerLog) {
        guard let keyFile else { return }
        do throws(CommandFailure) {
            try keyFile.write(key)
        } catch {
            log.note(.error, "configuration", "no invitations can be made: \(error.message ?? "")")
        }
    }
}
