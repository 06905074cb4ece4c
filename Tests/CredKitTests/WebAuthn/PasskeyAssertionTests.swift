// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
import CredKitTestSupport
import Testing

/// Each check of a login, with a response that is right but for one thing.
@Suite struct PasskeyAssertionTests {
    private static let handle = Array("handle".utf8)

    private func verify(
        _ authenticator: VirtualAuthenticator,
        _ assertion: PasskeyAssertion,
        of record: WebAuthn.CredentialRecord,
        at time: UnixTime = PasskeyScene.time
    ) throws -> PasskeyAssertion.Verified {
        try assertion.verify(authenticator.assert(assertion), of: record, at: time)
    }

    @Test func aRightResponseIsALogin() throws {
        var authenticator = try VirtualAuthenticator()
        let record = try PasskeyScene.record(authenticator)
        authenticator.signCount = 5
        authenticator.extensions = CBORValue.map([])
        let verified = try verify(authenticator, PasskeyScene.assertion(), of: record)
        var expected = record
        expected.signCount = 5
        #expect(verified.record == expected)
        #expect(verified.isUserVerified)
        #expect(!verified.hasBackupEligibilityChanged && !verified.hasCounterGoneBack)
    }

    @Test(arguments: PasskeyFault.both + PasskeyAssertionTests.faults)
    func oneFaultIsRefused(_ fault: PasskeyFault) throws {
        var authenticator = try VirtualAuthenticator()
        let record = try PasskeyScene.record(authenticator)
        fault.change(&authenticator)
        let assertion = try PasskeyScene.assertion()
        #expect(throws: fault.error) { try verify(authenticator, assertion, of: record) }
    }

    static let faults: [PasskeyFault] = [
        PasskeyFault("the other ceremony", .wrongType) { $0.type = "webauthn.create" },
        PasskeyFault("a new credential", .malformedAuthenticatorData) { $0.flags = 0x45 },
        PasskeyFault("a wrong signature", .invalidSignature) { $0.signsWrongly = true },
        PasskeyFault("no user handle", .missingUserHandle) { $0.userHandle = nil },
        PasskeyFault("an empty user handle", .missingUserHandle) { $0.userHandle = [] },
        PasskeyFault("the handle of another user", .wrongUser) { $0.userHandle = Array("handlf".utf8) },
        PasskeyFault("another identifier", .credentialIDMismatch) { $0.responseID = [1] },
    ]

    @Test func keyOfAnotherAuthenticatorIsRefused() throws {
        let record = try PasskeyScene.record(VirtualAuthenticator())
        let other = try VirtualAuthenticator(seed: 8)
        let assertion = try PasskeyScene.assertion()
        #expect(throws: WebAuthn.Error.invalidSignature) { try verify(other, assertion, of: record) }
    }

    @Test func challengeExpires() throws {
        let authenticator = try VirtualAuthenticator()
        let record = try PasskeyScene.record(authenticator)
        let assertion = try PasskeyScene.assertion()
        #expect(throws: WebAuthn.Error.challengeExpired) {
            try verify(authenticator, assertion, of: record, at: PasskeyScene.time + .seconds(300))
        }
    }

    @Test func onlyAllowedCredentialsAreAccepted() throws {
        let authenticator = try VirtualAuthenticator()
        let record = try PasskeyScene.record(authenticator)
        let others = try PasskeyScene.assertion(allowing: [[1], [2]])
        #expect(throws: WebAuthn.Error.credentialNotAllowed) {
            try verify(authenticator, others, of: record)
        }
        _ = try verify(authenticator, PasskeyScene.assertion(allowing: [[1], record.id]), of: record)
    }

    @Test func passkeyMustBeOfTheUserOfTheFirstStep() throws {
        var authenticator = try VirtualAuthenticator()
        let record = try PasskeyScene.record(authenticator)
        let other = try PasskeyScene.assertion(userHandle: Array("mallory".utf8))
        #expect(throws: WebAuthn.Error.wrongUser) { try verify(authenticator, other, of: record) }
        // A response cannot choose the user either.
        authenticator.userHandle = Array("mallory".utf8)
        #expect(throws: WebAuthn.Error.wrongUser) { try verify(authenticator, other, of: record) }
        let right = try PasskeyScene.assertion(userHandle: Self.handle)
        #expect(throws: WebAuthn.Error.wrongUser) { try verify(authenticator, right, of: record) }
        for handle in [nil, [], Self.handle] as [[UInt8]?] {
            authenticator.userHandle = handle
            _ = try verify(authenticator, right, of: record)
        }
    }

    @Test func verificationIsDemandedByTheCeremony() throws {
        var authenticator = try VirtualAuthenticator()
        let record = try PasskeyScene.record(authenticator)
        authenticator.flags = 0x01
        let verified = try verify(authenticator, PasskeyScene.assertion(.preferred), of: record)
        #expect(!verified.isUserVerified && verified.record.isUserVerificationInitialized)
    }

    @Test(arguments: PasskeyAssertionTests.counters)
    func counterGoesForward(_ counters: CounterCase) throws {
        var authenticator = try VirtualAuthenticator()
        var record = try PasskeyScene.record(authenticator)
        record.signCount = counters.stored
        record.isBackupEligible = counters.wasEligible ?? (counters.flags & 0x08 != 0)
        authenticator.signCount = counters.new
        authenticator.flags = counters.flags
        let assertion = try PasskeyScene.assertion()
        guard !counters.isRefused else {
            #expect(throws: WebAuthn.Error.counterWentBack) {
                try verify(authenticator, assertion, of: record)
            }
            return
        }
        let verified = try verify(authenticator, assertion, of: record)
        #expect(verified.record.signCount == counters.result)
        #expect(verified.hasCounterGoneBack == (counters.stored > 0 && counters.new <= counters.stored))
    }

    struct CounterCase: Sendable {
        let stored, new: UInt32
        let flags: UInt8
        /// Whether the stored passkey can be synced; `nil` if the flags say it.
        var wasEligible: Bool?
        let isRefused: Bool
        /// The counter to store.
        let result: UInt32
    }

    static let counters: [CounterCase] = [
        CounterCase(stored: 0, new: 0, flags: 0x05, isRefused: false, result: 0),
        CounterCase(stored: 0, new: 1, flags: 0x05, isRefused: false, result: 1),
        CounterCase(stored: 7, new: 8, flags: 0x05, isRefused: false, result: 8),
        CounterCase(stored: .max - 1, new: .max, flags: 0x05, isRefused: false, result: .max),
        CounterCase(stored: 7, new: 7, flags: 0x05, isRefused: true, result: 7),
        CounterCase(stored: 7, new: 6, flags: 0x05, isRefused: true, result: 7),
        CounterCase(stored: 7, new: 0, flags: 0x05, isRefused: true, result: 7),
        CounterCase(stored: .max, new: 0, flags: 0x05, isRefused: true, result: .max),
        CounterCase(stored: 7, new: 0, flags: 0x1D, isRefused: false, result: 7),
        CounterCase(stored: 7, new: 7, flags: 0x0D, isRefused: false, result: 7),
        CounterCase(stored: 7, new: 7, flags: 0x0D, wasEligible: false, isRefused: true, result: 7),
        CounterCase(stored: 7, new: 7, flags: 0x05, wasEligible: true, isRefused: true, result: 7),
        CounterCase(stored: 7, new: 8, flags: 0x0D, wasEligible: false, isRefused: false, result: 8),
    ]

    @Test func changesOfBackupAreReported() throws {
        var authenticator = try VirtualAuthenticator()
        let record = try PasskeyScene.record(authenticator)
        authenticator.flags = 0x1D
        let verified = try verify(authenticator, PasskeyScene.assertion(), of: record)
        #expect(verified.hasBackupEligibilityChanged)
        #expect(verified.record.isBackupEligible && verified.record.isBackedUp)
        authenticator.flags = 0x0D
        let again = try verify(authenticator, PasskeyScene.assertion(), of: verified.record)
        #expect(!again.hasBackupEligibilityChanged && !again.record.isBackedUp)
    }

    @Test func keyThatCannotBeReadIsRefused() throws {
        let authenticator = try VirtualAuthenticator()
        let record = try PasskeyScene.record(authenticator)
        let damaged = WebAuthn.CredentialRecord(
            id: record.id,
            publicKey: record.publicKey + [0],
            userHandle: record.userHandle,
            signCount: 0,
            isUserVerificationInitialized: true,
            isBackupEligible: false,
            isBackedUp: false,
            transports: [],
            aaguid: record.aaguid
        )
        let assertion = try PasskeyScene.assertion()
        #expect(throws: WebAuthn.Error.invalidPublicKey) {
            try verify(authenticator, assertion, of: damaged)
        }
    }
}
