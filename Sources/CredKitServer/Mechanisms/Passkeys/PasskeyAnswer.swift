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

    /// What stands in for the key of a passkey that does not exist: a point of P-256 that was made at random, whose private
    /// key was thrown away. What it would accept is rejected all the same.
    private static let standInKey: [UInt8] = [
        0xA5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20,
        0x94, 0x37, 0x3E, 0x18, 0xC1, 0xF3, 0x24, 0xBF, 0x32, 0x35, 0x8E, 0x55, 0x2E, 0x29, 0x77, 0xA3,
        0x14, 0x7B, 0xD4, 0xFD, 0x7E, 0xDC, 0x6E, 0x46, 0x0D, 0xE1, 0x2C, 0xD6, 0x94, 0x08, 0x71, 0x91,
        0x22, 0x58, 0x20,
        0x90, 0xB4, 0xBC, 0x2F, 0xEA, 0xD9, 0x06, 0x75, 0x66, 0xF0, 0x49, 0x2F, 0x86, 0x95, 0x96, 0x28,
        0x70, 0xAC, 0xB9, 0x4E, 0x8A, 0xB4, 0xC1, 0xFE, 0x8B, 0xA6, 0x8E, 0x35, 0x30, 0x48, 0xAB, 0xB3,
    ]

    /// How often a login is compared with one that was faster.
    private static let tryCount = 32

    let passkeys: PasskeyMechanism
    let ceremony: PasskeyCeremony
    let response: PasskeyAssertion.Response
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
    ///   - credential: The stored passkey; `nil` if there is none, which takes the same time as a wrong signature.
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
        if let credential { state.withLock { $0.credential = credential } }
        var present = credential
        var isUsedUp = false
        for _ in 0..<Self.tryCount {
            let record = present?.record ?? standIn
            var verified: PasskeyAssertion.Verified?
            do throws(WebAuthn.Error) {
                verified = try assertion.verify(response, of: record, at: now)
            } catch .counterWentBack {
                // All else is right. What a response says when it comes again, it has said before.
            } catch {
                // A passkey of another user is refused before its signature is verified.
                if error == .wrongUser { _ = try? assertion.verify(response, of: standIn, at: now) }
                let isUnknown = present == nil && error == .invalidSignature
                return refuse(isUnknown ? "unknownPasskey" : error.code.rawValue)
            }
            guard let owned = present else { return refuse("unknownPasskey") }
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

    /// Remembers why the response is refused.
    func refuse(_ reason: String) -> MechanismVerdict {
        state.withLock { $0.reason = reason }
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

    var standIn: WebAuthn.CredentialRecord {
        WebAuthn.CredentialRecord(
            id: response.credentialID,
            publicKey: Self.standInKey,
            userHandle: response.userHandle ?? [],
            signCount: 0,
            isUserVerificationInitialized: false,
            isBackupEligible: false,
            isBackedUp: false,
            transports: [],
            aaguid: [UInt8](repeating: 0, count: 16)
        )
    }
}
