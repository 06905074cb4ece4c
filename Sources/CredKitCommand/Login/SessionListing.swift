// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitKeychain
import CredKitTerminal

/// The output form of a login session.
struct SessionListing: Encodable {
    let name: String
    let server: String?
    let account: String?
    /// Whether the password is in the keychain, so that an expired login is renewed.
    let renews: Bool?
    /// Whether unencrypted http to other computers is allowed; `nil` if not.
    let allowsInsecureHTTP: Bool?
    /// The reason why the session is damaged, otherwise `nil`.
    let damage: String?

    /// Reads the session of a name. A damaged session has ``damage`` and no other properties.
    init(name: String, in keychain: Keychain) async throws {
        self.name = name
        var stored: SavedSession?
        var damage: String? = "its file is missing: log in again"
        do throws(ClientError) {
            stored = try await LoginSession.savedSession(named: name, in: keychain)
        } catch {
            guard error == .storage else { throw error }
            damage = error.description
        }
        server = stored?.server
        account = stored?.account
        renews = stored?.savesPassword
        allowsInsecureHTTP = stored?.allowsInsecureHTTP == true ? true : nil
        self.damage = stored == nil ? damage : nil
    }

    /// The session as readable text, its parts separated by tabs.
    var line: String {
        let parts =
            if let damage { [name, "damaged: \(damage)"] } else {
                [name, server ?? "", account ?? "", renews == true ? "renews itself" : "password not saved"]
                    + (allowsInsecureHTTP == true ? ["unencrypted http allowed"] : [])
            }
        return parts.map(ShellQuoting.escapingUnprintable).joined(separator: "\t")
    }
}
