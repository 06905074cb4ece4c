// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

// New passkeys, in two requests.
extension LoginService {
    /// Begins the enrolment of a passkey.
    ///
    /// - Parameters:
    ///   - permission: What permits it.
    ///   - browser: What identifies the browser, such as a random cookie. The second request must bring the same.
    ///   - displayName: The name of the user for people, which authenticators may show; `nil` for the name of the account.
    ///   - now: The current time.
    /// - Returns: What the page needs, or why the user cannot add a passkey.
    /// - Throws: ``LoginServerError/storeFailed``, ``LoginServerError/lookupFailed``, ``LoginServerError/outOfMemory``,
    ///   ``LoginServerError/cancelled``: answer 503.
    public func beginPasskeyEnrolment(
        with permission: PasskeyPermission,
        browser: String,
        displayName: String? = nil,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> PasskeyEnrolmentStart {
        guard let passkeys = mechanisms.passkeys?.mechanism else { return .unknownMechanism }
        guard let permitted = try await account(of: permission, passkeys, at: now) else {
            return .notPermitted
        }
        let name = permitted.account.name
        let credentials = try await passkeys.store.call { try await $0.credentials(ofAccountNamed: name) }
        guard credentials.count < passkeys.configuration.perAccountLimit else { return .tooManyPasskeys }
        let ceremony = passkeys.ceremony(
            .enrolment,
            account: name,
            userVerification: .required,
            browser: browser,
            at: now
        )
        let registration = try await registration(
            for: ceremony,
            passkeys,
            displayName: displayName ?? name,
            excluding: credentials
        )
        return .options(
            PasskeyOptions(
                json: registration.optionsJSON(at: now),
                ceremony: try ceremony.token(passkeys.ceremonies)
            )
        )
    }

    /// Adds a passkey. A link is used up just before it is stored, also where that fails then.
    ///
    /// - Parameters:
    ///   - permission: What permits it. It may be another one than in the first request, for the same account.
    ///   - ceremony: What the page got with its options. It may be any text.
    ///   - response: The JSON of the browser, as `toJSON()` of the new `PublicKeyCredential` writes it. It may be any bytes.
    ///   - name: The name by which the user tells passkeys apart. It may be any text: see ``PasskeyCredential/name(from:)``.
    ///   - browser: What identifies the browser.
    ///   - now: The current time.
    /// - Returns: The decision.
    /// - Throws: As for ``beginPasskeyEnrolment(with:browser:displayName:at:)``.
    public func finishPasskeyEnrolment(
        with permission: PasskeyPermission,
        ceremony: String,
        response: some Collection<UInt8>,
        named name: String,
        browser: String,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> PasskeyEnrolment {
        guard let (registered, passkeys) = mechanisms.passkeys else { return .unknownMechanism }
        guard let permitted = try await account(of: permission, passkeys, at: now) else {
            return .notPermitted
        }
        let owner = permitted.account.name
        guard let begun = try passkeys.ceremony(ceremony, .enrolment, browser: browser, at: now),
            begun.account.utf8.elementsEqual(owner.utf8)
        else {
            passkeys.report(.refused(reason: "invalidCeremony"))
            return .invalidCeremony
        }
        let credentials = try await passkeys.store.call { try await $0.credentials(ofAccountNamed: owner) }
        guard credentials.count < passkeys.configuration.perAccountLimit else { return .tooManyPasskeys }
        let registration = try await registration(
            for: begun,
            passkeys,
            displayName: owner,
            excluding: credentials
        )
        var record: WebAuthn.CredentialRecord
        do throws(WebAuthn.Error) {
            record = try registration.verify(PasskeyRegistration.Response(json: response), at: now)
        } catch {
            passkeys.report(.refused(reason: error.code.rawValue))
            return .refused(error.code)
        }
        // Browsers may send any texts.
        record.transports = record.transports.filter { word in
            word.utf8.allSatisfy { 0x61...0x7A ~= $0 || 0x30...0x39 ~= $0 || $0 == UInt8(ascii: "-") }
        }
        for use in [begun.use(of: owner, at: now), permitted.use].compactMap({ $0 }) {
            switch try await registered.replays.markUsed(use) {
            case .accepted: break
            case .replayed:
                passkeys.report(.refused(reason: "replayed"))
                return use == permitted.use ? .notPermitted : .invalidCeremony
            case .unavailable(let wait): return .unavailable(retryAfter: wait)
            }
        }
        let credential = PasskeyCredential(
            account: owner,
            record: record,
            name: PasskeyCredential.name(from: name),
            created: now
        )
        let limit = passkeys.configuration.perAccountLimit
        switch try await passkeys.store.call({ try await $0.add(credential, limit: limit) }) {
        case .added: break
        case .refused:
            passkeys.report(.refused(reason: WebAuthn.Error.Code.credentialExists.rawValue))
            return .refused(.credentialExists)
        case .full: return .tooManyPasskeys
        }
        guard try await isStillPermitted(credential, by: permission, passkeys, at: now) else {
            passkeys.report(.refused(reason: "notAccepted"))
            return .notPermitted
        }
        passkeys.report(.enrolled, credential)
        return .enrolled(credential)
    }

    /// Returns whether a permission still holds when its passkey is stored, which is removed otherwise: what ended the permission
    /// may have removed all passkeys before this one was there.
    private func isStillPermitted(
        _ credential: PasskeyCredential,
        by permission: PasskeyPermission,
        _ passkeys: PasskeyMechanism,
        at now: UnixTime
    ) async throws(LoginServerError) -> Bool {
        do throws(LoginServerError) {
            let present = try await account(of: permission, passkeys, at: now)
            if let present, present.account.name.utf8.elementsEqual(credential.account.utf8) { return true }
        } catch {
            // The task may be cancelled, and removes it nevertheless.
            await Task { try? await Self.remove(credential, from: passkeys.store) }.value
            throw error
        }
        try await Self.remove(credential, from: passkeys.store)
        return false
    }

    private static func remove(
        _ credential: PasskeyCredential,
        from store: CheckedPasskeyStore
    ) async throws(LoginServerError) {
        _ = try await store.call {
            try await $0.remove(credential.id, ofAccountNamed: credential.account, retainingLast: false)
        }
    }

    /// Returns the registration of a ceremony, the same one in both requests.
    private func registration(
        for ceremony: PasskeyCeremony,
        _ passkeys: PasskeyMechanism,
        displayName: String,
        excluding credentials: [PasskeyCredential]
    ) async throws(LoginServerError) -> PasskeyRegistration {
        let handle = try await passkeys.store.call {
            try await $0.userHandle(ofAccountNamed: ceremony.account)
        }
        let user: WebAuthn.UserEntity
        do throws(WebAuthn.Error) {
            user = try WebAuthn.UserEntity(id: handle, name: ceremony.account, displayName: displayName)
        } catch {
            throw LoginServerError(
                .storeFailed,
                message: "the store of passkeys returned a user handle that is none",
                underlying: error
            )
        }
        return PasskeyRegistration(
            relyingParty: passkeys.relyingParty,
            user: user,
            challenge: ceremony.challenge,
            userVerification: ceremony.userVerification,
            excludedCredentials: credentials.map(\.record.descriptor),
            hints: passkeys.configuration.hints
        )
    }
}
