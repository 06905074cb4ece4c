// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Passkeys as a mechanism of ``LoginService``: as a login without a user name and password, and as a second step after a
/// password.
///
/// ```swift
/// let site = try WebAuthn.RelyingParty(id: "example.org", name: "Example", origins: ["https://example.org"])
/// let passkeys = try PasskeyMechanism(site, store: store, key: configuration.derivedKey(for: "passkeys"))
/// let service = try LoginService(accounts: users, mechanisms: [.password(passwords), passkeys], storage: storage)
///
/// // First request: the page asks the browser with `options.json`.
/// let options = try await service.beginPasskeyLogin(browser: cookie)
/// // Second request: the JSON of the browser, and `options.ceremony`.
/// let result = try await service.finishPasskeyLogin(
///     ceremony: ceremony, response: json, browser: cookie, clientAddress: address, issuingSession: true)
/// ```
///
/// Nothing is remembered between two requests, which may reach different servers with the same key: the ceremony contains the
/// challenge, the time, and what it is for, encrypted. It is bound to the browser, and is accepted once by all servers that share
/// their storage.
///
/// - A login with a passkey alone counts as two factors: the authenticator has verified the user. No second step is asked for.
/// - Attempts count for the address only: a signature cannot be guessed, and anyone who knows an identifier could lock out its
///   owner.
/// - A service with this mechanism asks users with passkeys for one after their password:
///   see ``PasskeyConfiguration/asksUsersWithPasskeys`` and ``LoginService/beginPasskeySecondStep(ticket:browser:at:)``.
/// - An account can require a passkey: its password and codes are then refused without one.
///   See ``LoginService/setPasskeyRequired(_:with:at:)``.
public struct PasskeyMechanism: ServerLoginMechanism {
    /// The name of the mechanism: `passkey`.
    public static let name = "passkey"

    /// The number of bytes of a key: 32.
    public static let keyByteCount = TokenSealer.keyByteCount

    /// The name of the mechanism: `passkey`.
    public var name: String { Self.name }

    /// The site that the passkeys are for.
    public let relyingParty: WebAuthn.RelyingParty

    /// The settings.
    public let configuration: PasskeyConfiguration

    let store: CheckedPasskeyStore
    let ceremonies: TokenSealer
    let links: TokenSealer
    let recentLogins: RecentLogins

    /// Creates a mechanism.
    ///
    /// - Parameters:
    ///   - relyingParty: The site that the passkeys are for.
    ///   - store: The passkeys.
    ///   - key: The key of ``keyByteCount`` random bytes, the same for all servers that share their stores; `nil` for a new one,
    ///     with which links and what was begun before are invalid.
    ///   - configuration: The settings.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public init(
        _ relyingParty: WebAuthn.RelyingParty,
        store: any PasskeyStore,
        key: SecretBytes? = nil,
        configuration: PasskeyConfiguration = PasskeyConfiguration()
    ) throws(LoginServerError) {
        try configuration.check()
        let key = try TokenSealer.checkedKey(key)
        self.relyingParty = relyingParty
        self.configuration = configuration
        self.store = CheckedPasskeyStore(store)
        ceremonies = TokenSealer(key: key, purpose: "passkey ceremony")
        links = TokenSealer(key: key, purpose: "passkey link")
        recentLogins = try RecentLogins(key: key)
    }

    /// Rejects every attempt: a login with a passkey is
    /// ``LoginService/finishPasskeyLogin(ceremony:response:browser:clientAddress:issuingSession:at:)``.
    ///
    /// - Parameters:
    ///   - attempt: What the client sent.
    ///   - account: The user; `nil` if there is none.
    ///   - now: The current time.
    /// - Returns: ``MechanismVerdict/rejected``.
    public func verify(_ attempt: LoginAttempt, account: LoginAccount?, at now: UnixTime) -> MechanismVerdict
    {
        .rejected
    }

    /// Returns a new ceremony.
    func ceremony(
        _ purpose: PasskeyCeremony.Purpose,
        account: String = "",
        userVerification: WebAuthn.UserVerification,
        allowed: [[UInt8]] = [],
        browser: String,
        at now: UnixTime
    ) -> PasskeyCeremony {
        PasskeyCeremony(
            purpose,
            account: account,
            relyingParty: relyingParty,
            userVerification: userVerification,
            allowed: allowed,
            browser: browser,
            at: now,
            lifetime: configuration.lifetime
        )
    }

    /// Opens a ceremony that a client brought back; `nil` if it is not one of this purpose, site and browser, or has expired.
    func ceremony(
        _ token: String,
        _ purpose: PasskeyCeremony.Purpose,
        browser: String,
        at now: UnixTime
    ) throws(LoginServerError) -> PasskeyCeremony? {
        try PasskeyCeremony(
            token,
            purpose,
            relyingParty: relyingParty,
            browser: browser,
            at: now,
            lifetime: configuration.lifetime,
            sealer: ceremonies
        )
    }

    /// Reports an event.
    func report(_ kind: PasskeyEvent.Kind, _ credential: PasskeyCredential? = nil) {
        configuration.onEvent(
            PasskeyEvent(kind, account: credential?.account, passkey: credential?.reference)
        )
    }
}

extension [RegisteredMechanism] {
    /// The passkeys of a service, with their guard; `nil` if it has none.
    var passkeys: (registered: RegisteredMechanism, mechanism: PasskeyMechanism)? {
        guard let registered = named(PasskeyMechanism.name),
            let mechanism = registered.mechanism as? PasskeyMechanism
        else { return nil }
        return (registered, mechanism)
    }
}
