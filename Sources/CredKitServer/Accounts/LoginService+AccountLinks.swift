// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

// Links with which users choose a password.
extension LoginService {
    /// The longest link. A user name of four kilobytes has room.
    private static let maximumLinkByteCount = 12 << 10

    /// Returns a link with which a user can choose a password without a login. Who has the link can log in as the user from then on,
    /// unless the account has a second step: send it over a way that only the user can read.
    ///
    /// It is valid once, and only while the account has the credential that it has now: a change of the password ends it, and so does
    /// a login that renews the hash. To lock an account, replace its credential: no link from before opens it then.
    ///
    /// The credential of a user who is invited is ``StoredCredential/unusable``, `!`, and its link is valid nevertheless. So do not
    /// lock an account with `!` while an invitation can be open, or one with `!` was: remove the account, or store a text that no table
    /// replaces, such as `*` (see ``WritableAccounts/set(_:inPlaceOf:ofAccountNamed:)``). A link that is made for a locked account
    /// with `!` opens it.
    ///
    /// Of several uses, the one that replaces the credential counts. Stores that have lost what was used, as at a restart, end no link;
    /// a used one is then valid again if the account gets the credential from before, such as `!`.
    ///
    /// - Parameters:
    ///   - purpose: What the link is for.
    ///   - name: The name of the account in the table.
    ///   - lifetime: The time for which it is valid, from a minute to seven days: ``AccountLink/lifetimes``.
    ///   - now: The current time.
    /// - Returns: The text of the link, base64url; `nil` if there is no such account, or if users cannot change passwords.
    /// - Throws: ``LoginServerError/invalidConfiguration`` for another lifetime, ``LoginServerError/lookupFailed``,
    ///   ``LoginServerError/outOfMemory``, ``LoginServerError/cancelled``.
    public func accountLink(
        _ purpose: AccountLink.Purpose,
        forAccountNamed name: String,
        lifetime: Duration,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> String? {
        try LoginServerError.check("the lifetime of a link", lifetime, in: AccountLink.lifetimes)
        guard let changes = accountChanges, let account = try await account(ofPasskeys: name) else {
            return nil
        }
        let content = TokenContent(
            time: now,
            texts: [
                purpose.rawValue, account.name, "\(lifetime.components.seconds)",
                Self.fingerprint(of: account.credential),
            ]
        )
        let link = try changes.links.seal(content.bytes)
        changes.report(.linkMade(purpose), account.name, nil)
        return link
    }

    /// Reads a link, and uses up nothing: for a request of the method GET, which mail scanners and browsers send as well.
    ///
    /// - Parameters:
    ///   - text: The text of the link. It may be any text.
    ///   - now: The current time.
    /// - Returns: What it says; `nil` if it is not valid. A link that was used is among these unless the credential is the one from
    ///   before again.
    /// - Throws: ``LoginServerError/lookupFailed``, ``LoginServerError/outOfMemory``, ``LoginServerError/cancelled``.
    public func accountLink(
        reading text: String,
        at now: UnixTime = .now
    ) async throws(LoginServerError) -> AccountLink? {
        guard let changes = accountChanges else { return nil }
        return try await openLink(text, changes, at: now)?.link
    }

    /// Returns what a link says, its account, and what it uses up; `nil` if it is not valid.
    func openLink(
        _ text: String,
        _ changes: AccountConfiguration,
        at now: UnixTime
    ) async throws(LoginServerError) -> (link: AccountLink, account: LoginAccount, use: SingleUse)? {
        guard let (bytes, id) = try changes.links.open(text, maximumByteCount: Self.maximumLinkByteCount),
            let content = TokenContent(bytes, textCount: 4),
            let purpose = AccountLink.Purpose(rawValue: content.texts[0]),
            let seconds = Int64(content.texts[2]), content.isValid(at: now, for: .seconds(seconds)),
            let account = try await account(ofPasskeys: content.texts[1]),
            content.texts[3] == Self.fingerprint(of: account.credential)
        else { return nil }
        let expiry = content.time + .seconds(seconds)
        let use = SingleUse(
            StoreKey("account link", Base64.urlSafe.unpadded.encode(id)),
            of: account.name,
            // For processes whose clocks are behind: the link is valid there for longer.
            validFrom: content.time - LoginChallenge.tolerance,
            validUntil: expiry + LoginChallenge.tolerance + .seconds(1),
            verifiedAt: now
        )
        return (AccountLink(accountName: account.name, purpose: purpose, expiry: expiry), account, use)
    }

    private static func fingerprint(of credential: StoredCredential) -> String {
        StoreKey("account link", credential.text).hex
    }
}
