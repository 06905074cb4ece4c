// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal

extension LoginCommand {
    /// The account of a session that was logged in by a token, without a user name.
    static let accountOfToken = "token"

    /// Returns the user name, which a login by a token does not need.
    func account(for profile: LoginProfile, _ stored: SavedSession?) throws -> String {
        if let user { return user.text }
        guard !profile.provesAccount else {
            throw ValidationError("Missing expected argument '--user <name>': this login needs a user name.")
        }
        return stored?.account ?? Self.accountOfToken
    }

    /// Returns the question at a terminal.
    func prompt(for profile: LoginProfile, _ account: String, _ url: HTTPURL) throws -> String {
        switch profile.secretKind {
        case .token: return "Token: "
        case .refreshToken: return "Refresh token: "
        case .password:
            let origin = try profile.server.map { try Origin($0) } ?? url.origin
            return ShellQuoting.escapingUnprintable("Password for \(account) at \(origin.authority): ")
        }
    }
}
