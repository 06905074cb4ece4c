// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A passkey as the second step of a login, or the code of another second step in its place.
struct PasskeySecondStep: RecheckedSecondStep {
    let passkeys: PasskeyMechanism
    let codes: (any LoginSecondStep)?
    let clock: StoreClock
    /// What the browser has sent, if this login is one with a passkey.
    var answer: PasskeyAnswer?

    init(_ passkeys: PasskeyMechanism, codes: (any LoginSecondStep)?, clock: StoreClock) {
        self.passkeys = passkeys
        self.codes = codes
        self.clock = clock
    }

    func isRequired(for account: LoginAccount) async throws -> Bool {
        guard answer == nil else { return true }
        let state = try await state(of: account)
        if state.isPasskeyRequired { return true }
        if state.passkeyCount > 0, passkeys.configuration.asksUsersWithPasskeys { return true }
        return try await codes?.isRequired(for: account) ?? false
    }

    func verify(
        _ code: String,
        of account: LoginAccount,
        at now: UnixTime
    ) async throws -> MechanismVerdict {
        if let answer { return try await verify(answer, of: account, at: now) }
        guard let codes, try await acceptsCodes(of: account) else { return .rejected }
        return try await codes.verify(code, of: account, at: now)
    }

    func isStillAccepted() async throws -> Bool { try await answer?.isStillStored() ?? true }

    /// Whether a code is accepted in place of a passkey.
    func acceptsCodes(of account: LoginAccount) async throws -> Bool {
        guard let codes, try await !state(of: account).isPasskeyRequired else { return false }
        return try await codes.isRequired(for: account)
    }

    private func verify(
        _ answer: PasskeyAnswer,
        of account: LoginAccount,
        at now: UnixTime
    ) async throws(LoginServerError) -> MechanismVerdict {
        guard answer.ceremony.account.utf8.elementsEqual(account.name.utf8) else {
            return answer.refuse("invalidCeremony")
        }
        let start = clock.elapsed
        let credentials = try await passkeys.store.call {
            try await $0.credentials(ofAccountNamed: account.name)
        }
        // They must be those that the browser was asked for.
        guard let handle = credentials.first?.record.userHandle,
            PasskeyCeremony.hash(of: credentials.map(\.id)) == answer.ceremony.allowed
        else { return answer.refuse("invalidCeremony") }
        return try await answer.verify(
            credentials.first { $0.id == answer.response.credentialID },
            userHandle: handle,
            allowed: credentials.map(\.record.descriptor),
            at: now + clock.correction(since: start)
        )
    }

    private func state(of account: LoginAccount) async throws(LoginServerError) -> PasskeyAccountState {
        try await passkeys.store.call { try await $0.state(ofAccountNamed: account.name) }
    }
}
