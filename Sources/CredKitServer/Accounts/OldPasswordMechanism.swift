// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// A password that is verified as at a login, and not renewed: the hash that is stored stays until a new one replaces it.
struct OldPasswordMechanism: ServerLoginMechanism {
    let base: PasswordMechanism

    var name: String { base.name }

    func unavailability(for attempt: LoginAttempt) async -> Duration? {
        await base.unavailability(for: attempt)
    }

    func verify(
        _ attempt: LoginAttempt,
        account: LoginAccount?,
        at now: UnixTime
    ) async throws(LoginServerError) -> MechanismVerdict {
        var verdict = try await base.verify(attempt, account: account, at: now)
        verdict.newCredential = nil
        return verdict
    }
}
