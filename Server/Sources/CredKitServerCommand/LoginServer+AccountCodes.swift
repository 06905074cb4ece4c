// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import HTTPTypes
import Hummingbird

// One-time codes and recovery codes of a user. Each change needs a login of the last five minutes.
extension LoginServer {
    /// The number of recovery codes that are made at once.
    private static let recoveryCodeCount = 10
    /// The size of a new key: it has the bytes of a digest of SHA-1.
    private static let seedByteCount = 20
    /// The number of characters of the user's name in an authenticator app, so that the QR code stays small.
    private static let labelLength = 32

    func codesPage(of user: SignedInUser, _ visit: Visit) async throws -> AccountPage {
        let page = visit.address(of: "/auth/codes")
        guard try await accounts.oneTimeCode(ofAccountNamed: user.name) != nil else {
            guard user.isRecent else { return .codes(user: user.name, .off, page: page) }
            let key = try OneTimeCodeKey.generate(issuer: codeIssuer, account: Self.label(of: user.name))
            return .newCode(user: user.name, try CodeEnrolment(key))
        }
        let count = try await accounts.recoveryKeyCount(ofAccountNamed: user.name)
        let offersRecovery = settings.accounts?.offersRecoveryCodes == true
        return .codes(
            user: user.name,
            .on(recoveryCodes: offersRecovery ? count : nil, canChange: user.isRecent),
            page: page
        )
    }

    /// `POST /auth/codes`
    func changeCodes(_ form: FormFields, of user: SignedInUser, _ visit: Visit) async throws -> ServerAnswer {
        guard user.isRecent else {
            let page = try await codesPage(of: user, visit)
            return show(.account(page), PageText.tooLate, .forbidden, to: visit)
        }
        switch form["change"] {
        case "add": return try await addCode(form, of: user, visit)
        case "remove": return try await removeCode(form, of: user, visit)
        case "recovery": return try await makeRecoveryCodes(of: user, visit)
        default: return show(.account(try await codesPage(of: user, visit)), nil, .badRequest, to: visit)
        }
    }

    /// Stores a key of which the user has sent a code. Until then it is in the form alone.
    private func addCode(
        _ form: FormFields,
        of user: SignedInUser,
        _ visit: Visit
    ) async throws -> ServerAnswer {
        // Another tab may have stored one.
        guard try await accounts.oneTimeCode(ofAccountNamed: user.name) == nil,
            let key = newKey(form, of: user),
            let codeVerifier
        else {
            let page = try await codesPage(of: user, visit)
            return show(.account(page), PageText.conflict, .conflict, to: visit)
        }
        let page = LoginPage.Content.account(.newCode(user: user.name, try CodeEnrolment(key)))
        let code = Self.code(form)
        let result = try await codeVerifier.verify(code, account: user.name, key: key)
        guard case .accepted = result else { return refusal(result, page, user, visit) }
        // Also for a client that does not wait for the answer: it may have been told of the key by then.
        let isStored = try await Task {
            guard try await accounts.setOneTimeCode(key, ofAccountNamed: user.name) else { return false }
            try await service.sessions.revokeOthers(of: user.name, retaining: user.session)
            return true
        }.value
        guard isStored else {
            let page = try await codesPage(of: user, visit)
            return show(.account(page), PageText.conflict, .conflict, to: visit)
        }
        note(.codeSet, user, .recentLogin)
        return Self.redirect(to: "/auth/codes?done=code")
    }

    /// Removes the key and the recovery codes of a user who sends a code of either kind.
    private func removeCode(
        _ form: FormFields,
        of user: SignedInUser,
        _ visit: Visit
    ) async throws -> ServerAnswer {
        guard let codeVerifier, let present = try await accounts.oneTimeCode(ofAccountNamed: user.name) else {
            return Self.redirect(to: "/auth/codes?done=nocode")
        }
        let code = Self.code(form)
        if RecoveryCodes.key(of: code, account: user.name) != nil {
            let result = try await RecoveryCodes.verify(code, account: user.name) { key in
                try await accounts.consumeRecoveryCode(key, ofAccountNamed: user.name)
            }
            guard result == .accepted else {
                return refusal(.rejected, .account(try await codesPage(of: user, visit)), user, visit)
            }
        } else {
            let result = try await codeVerifier.verify(
                code,
                account: user.name,
                key: present.key,
                drift: present.drift
            )
            guard case .accepted = result else {
                return refusal(result, .account(try await codesPage(of: user, visit)), user, visit)
            }
        }
        _ = try await Task { try await accounts.setOneTimeCode(nil, ofAccountNamed: user.name) }.value
        note(.codeRemoved, user, .code)
        return Self.redirect(to: "/auth/codes?done=nocode")
    }

    /// Makes new recovery codes in place of those that are left, and shows them this once.
    private func makeRecoveryCodes(of user: SignedInUser, _ visit: Visit) async throws -> ServerAnswer {
        guard settings.accounts?.offersRecoveryCodes == true,
            try await accounts.oneTimeCode(ofAccountNamed: user.name) != nil
        else {
            return show(.account(try await codesPage(of: user, visit)), nil, .badRequest, to: visit)
        }
        let codes = try RecoveryCodes.generate(count: Self.recoveryCodeCount)
        let keys = codes.compactMap { RecoveryCodes.key(of: $0, account: user.name) }
        guard try await accounts.setRecoveryKeys(keys, ofAccountNamed: user.name) else {
            let page = try await codesPage(of: user, visit)
            return show(.account(page), PageText.conflict, .conflict, to: visit)
        }
        note(.recoveryCodesMade, user, .recentLogin)
        return show(.account(.recoveryCodes(codes.map { Self.text($0) })), to: visit)
    }

    /// Logs a change, and tells the user about it.
    private func note(_ change: ServerLog.AuditAction, _ user: SignedInUser, _ proof: ServerLog.AuditProof) {
        settings.log.audit(change, user: user.name, proof: proof, client: user.address)
        settings.accounts?.tell(.codesChanged, user: user.name, settings.log)
    }

    private func refusal(
        _ result: OneTimeCodeVerification,
        _ page: LoginPage.Content,
        _ user: SignedInUser,
        _ visit: Visit
    ) -> ServerAnswer {
        if case .rejected = result {
            settings.log.audit(.wrongPassword, user: user.name, proof: .session, client: user.address)
        }
        return switch result {
        case .limited(let wait):
            show(page, PageText.limited(wait), .tooManyRequests, to: visit).retrying(after: wait)
        case .unavailable(let wait):
            show(page, PageText.changesUnavailable(wait), .serviceUnavailable, to: visit)
                .retrying(after: wait)
        // Also a right code of a new key, if one of the former key was used in the same time.
        case .replayed: show(page, PageText.usedCode, .unauthorized, to: visit)
        case .accepted, .rejected, .malformed: show(page, PageText.wrongCode, .unauthorized, to: visit)
        }
    }

    /// The key that the page has made; `nil` unless it is one of the page.
    private func newKey(_ form: FormFields, of user: SignedInUser) -> OneTimeCodeKey? {
        guard let seed = form["seed"],
            let key = try? OneTimeCodeKey(
                base32: seed,
                issuer: codeIssuer,
                account: Self.label(of: user.name)
            ),
            key.seed.count == Self.seedByteCount
        else { return nil }
        return key
    }

    private var codeIssuer: String? { settings.accounts?.otpIssuer }

    /// The name of a user as an authenticator app can show it.
    private static func label(of user: String) -> String {
        let shown = user.unicodeScalars.filter { $0.properties.generalCategory != .control }
            .prefix(labelLength)
        var label = ""
        label.unicodeScalars.append(contentsOf: shown)
        while label.utf8.first == UInt8(ascii: " ") { label.removeFirst() }
        while label.utf8.last == UInt8(ascii: " ") { label.removeLast() }
        return label
    }

    /// The code that was typed; people copy spaces with it.
    private static func code(_ form: FormFields) -> String {
        (form["otp"] ?? "").filter { $0 != " " }
    }

    static func text(_ secret: SecretBytes) -> String {
        secret.withSecretBytes { bytes in String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self) }
    }
}
