// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// The response of a browser to a ceremony, and what became of it.
struct PasskeyAnswer: Sendable {
    private struct State: Sendable {
        /// The stored passkey with the identifier in the response.
        var credential: PasskeyCredential?
        var verified: PasskeyAssertion.Verified?
        /// Why the response was refused.
        var reason: String?
    }

    /// How often a login is compared with one that was faster.
    private static let tryCount = 32

    let passkeys: PasskeyMechanism
    let ceremony: PasskeyCeremony
    let response: PasskeyAssertion.Response
    let standIn: PasskeyStandIn
    private let replays: ReplayGuard
    private let state = Lock(State())

    init(
        _ passkeys: PasskeyMechanism,
        _ ceremony: PasskeyCeremony,
        _ response: PasskeyAssertion.Response,
        _ replays: ReplayGuard
    ) {
        self.passkeys = passkeys
        self.ceremony = ceremony
        self.response = response
        standIn = PasskeyStandIn(for: response)
        self.replays = replays
    }

    /// The passkey that was found or verified.
    var credential: PasskeyCredential? { state.withLock { $0.credential } }

    /// Finds the passkey of the response.
    func find() async throws(LoginServerError) -> PasskeyCredential? {
        let found = try await passkeys.store.call { try await $0.credential(id: response.credentialID) }
        state.withLock { $0.credential = found }
        return found
    }

    /// Returns whether the passkey is still the one that was verified.
    func isStillStored() async throws(LoginServerError) -> Bool {
        let verified = credential
        let present = try await passkeys.store.call { try await $0.credential(id: response.credentialID) }
        guard let verified, let present else { return false }
        return present.isSame(as: verified)
    }

    /// Verifies the response of a passkey of an account, uses up its ceremony, and stores what it shows.
    ///
    /// If the ceremony cannot be used up, nothing is stored, and the same response can be sent again. If storing fails, it is used
    /// up.
    ///
    /// - Parameters:
    ///   - credential: The stored passkey; `nil` if there is none, which needs the same work as a wrong signature of any offered
    ///     kind. In a second step, a response without a user handle is verified with the stored key alone.
    ///   - userHandle: The user handle of the account, if an earlier step has named it.
    ///   - allowed: The accepted passkeys; any if it is empty.
    ///   - now: The current time.
    /// - Returns: The verdict.
    /// - Throws: ``LoginServerError``.
    func verify(
        _ credential: PasskeyCredential?,
        userHandle: [UInt8]? = nil,
        allowed: [WebAuthn.CredentialDescriptor] = [],
        at now: UnixTime
    ) async throws(LoginServerError) -> MechanismVerdict {
        let assertion = PasskeyAssertion(
            relyingParty: passkeys.relyingParty,
            challenge: ceremony.challenge,
            userVerification: ceremony.userVerification,
            userHandle: userHandle,
            allowedCredentials: allowed
        )
        // The passkey of another user is verified like an unknown one.
        let isOther =
            credential.map { $0.record.userHandle != response.userHandle ?? $0.record.userHandle } ?? false
        let unknown = isOther ? WebAuthn.Error.wrongUser.code.rawValue : "unknownPasskey"
        var present = isOther ? nil : credential
        state.withLock { $0.credential = present }
        var isUsedUp = false
        for _ in 0..<Self.tryCount {
            let record = present?.record ?? standIn.record
            var verified: PasskeyAssertion.Verified?
            do throws(WebAuthn.Error) {
                verified = try assertion.verify(response, of: record, at: now)
            } catch .counterWentBack {
                // All else is right. What a response says when it comes again, it has said before.
            } catch {
                guard error == .invalidSignature else { return refuse(error.code.rawValue) }
                // The last is the same for all: what it leaves in the caches shows in how long the delay takes to end.
                for other in standIn.records(besides: record) + [standIn.record] {
                    _ = try? assertion.verify(response, of: other, at: now)
                }
                return refuse(present == nil ? unknown : error.code.rawValue)
            }
            guard let owned = present else { return refuse(unknown) }
            if !isUsedUp {
                switch try await replays.markUsed(ceremony.use(of: owned.account, at: now)) {
                case .accepted: isUsedUp = true
                case .replayed: return refuse("replayed")
                case .unavailable(let wait): return .unavailable(retryAfter: wait)
                }
            }
            guard let verified else { return refuse(WebAuthn.Error.Code.counterWentBack.rawValue) }
            let isRecorded = try await passkeys.store.call {
                try await $0.recordUse(verified.record, replacing: record, at: now)
            }
            if isRecorded {
                state.withLock {
                    $0.credential = owned
                    $0.verified = verified
                }
                return .accepted()
            }
            // Another login was faster: its counter is the one to compare with.
            present = try await passkeys.store.call { try await $0.credential(id: response.credentialID) }
            guard let changed = present, changed.isSame(as: owned) else { return refuse("unknownPasskey") }
        }
        return .unavailable(retryAfter: .seconds(1))
    }

    /// Remembers why the response is refused. The passkey is kept only if its counter went back, for the event.
    func refuse(_ reason: String) -> MechanismVerdict {
        state.withLock {
            $0.reason = reason
            if reason != WebAuthn.Error.Code.counterWentBack.rawValue { $0.credential = nil }
        }
        return .rejected
    }

    /// Reports what was decided.
    func report(_ decision: LoginDecision) {
        let state = state.withLock { $0 }
        switch decision {
        case .accepted:
            guard let verified = state.verified else { return }
            if verified.hasBackupEligibilityChanged {
                passkeys.report(.backupEligibilityChanged, state.credential)
            }
            if verified.hasCounterGoneBack { passkeys.report(.counterWentBack, state.credential) }
            passkeys.report(.used, state.credential)
        case .rejected:
            if state.reason == WebAuthn.Error.Code.counterWentBack.rawValue {
                passkeys.report(.counterWentBack, state.credential)
            }
            passkeys.report(.refused(reason: state.reason ?? "notAccepted"))
        default: break
        }
    }
}
