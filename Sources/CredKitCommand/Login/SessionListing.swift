// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitKeychain
import CredKitTerminal

/// The output form of a login session.
struct SessionListing: Encodable {
    let name: String
    let server: String?
    let account: String?
    /// Whether an expired login is renewed without the user.
    let renews: Bool?
    /// Whether unencrypted http to other computers is allowed; `nil` if not.
    let allowsInsecureHTTP: Bool?
    /// The reason why the session is damaged, otherwise `nil`.
    let damage: String?
    /// How the login goes on when it has expired, in words.
    private let renewal: String

    private enum CodingKeys: String, CodingKey {
        case name, server, account, renews, allowsInsecureHTTP, damage
    }

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
        renews = stored?.renews
        renewal = stored.map { Self.renewal(of: $0) } ?? ""
        allowsInsecureHTTP = stored?.allowsInsecureHTTP == true ? true : nil
        self.damage = stored == nil ? damage : nil
    }

    private static func renewal(of session: SavedSession) -> String {
        if session.renews { return "renews itself" }
        return switch session.secretKind {
        case .password: "password not saved"
        case .token: session.savesPassword ? "until its token expires" : "token not saved"
        case .refreshToken: "refresh token not saved"
        }
    }

    /// The session as readable text, its parts separated by tabs.
    var line: String {
        let parts =
            if let damage { [name, "damaged: \(damage)"] } else {
                [name, server ?? "", account ?? "", renewal]
                    + (allowsInsecureHTTP == true ? ["unencrypted http allowed"] : [])
            }
        return parts.map(ShellQuoting.escapingUnprintable).joined(separator: "\t")
    }
}
