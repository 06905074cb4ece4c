// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The login that one response of a browser asks for.
struct PasskeyLogin: ServerLoginMechanism {
    /// What is looked up for a response of an unknown passkey, so that the table of users is asked as well.
    private static let unknownName = "unknown passkey"

    let name: String
    let answer: PasskeyAnswer

    /// Finds the account of the passkey. Its owner is the one in the store; what the response says does not count.
    ///
    /// The result has no password, so that a new hash of it does not count as a change of the account; and it has another
    /// revision once the passkey is another one.
    func account(in accounts: any LoginAccounts) async throws -> LoginAccount? {
        let credential = try await answer.find()
        let found = try await accounts.account(named: credential?.account ?? Self.unknownName)
        let record = credential?.record ?? answer.standIn.record
        // For an unknown passkey as well, so that it takes the same time.
        let revision = StoreKey(
            "passkey login",
            found?.revision?.hex ?? "",
            Base64.urlSafe.unpadded.encode(record.id),
            Base64.urlSafe.unpadded.encode(record.publicKey),
            Base64.urlSafe.unpadded.encode(record.userHandle)
        )
        guard let found, let credential, found.name.utf8.elementsEqual(credential.account.utf8) else {
            return nil
        }
        guard found.credential != .unusable || answer.passkeys.configuration.acceptsAccountsWithoutPassword
        else { return nil }
        return LoginAccount(name: found.name, credential: .unusable, revision: revision)
    }

    func verify(
        _ attempt: LoginAttempt,
        account: LoginAccount?,
        at now: UnixTime
    ) async throws(LoginServerError) -> MechanismVerdict {
        var verdict = try await answer.verify(account == nil ? nil : answer.credential, at: now)
        // The authenticator has verified the user.
        verdict.hasTwoFactors = verdict.outcome == .accepted
        return verdict
    }
}
