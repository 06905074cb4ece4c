// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// What a ``LoginService`` needs so that users can change their passwords, and choose them with links.
///
/// ```swift
/// var changes = try AccountConfiguration(key: configuration.derivedKey(for: "accounts"), passwords: passwords)
/// changes.serviceNames = ["Example"]
/// changes.onEvent = { event in logger.notice("\(event)", metadata: ["account": "\(event.account)"]) }
/// let service = try LoginService(accounts: users, mechanisms: [.password(passwords)], storage: storage, accountChanges: changes)
/// ```
public struct AccountConfiguration: Sendable {
    /// The number of bytes of a key: 32.
    public static let keyByteCount = TokenSealer.keyByteCount

    /// What new passwords must be like.
    public var requirements: PasswordRequirements

    /// The names of the service, which are refused as passwords. Default: none.
    public var serviceNames: [String] = []

    /// Is called when something happened to an account, by the task of the request. It should return at once.
    public var onEvent: @Sendable (AccountEvent) -> Void = { _ in }

    let passwords: PasswordService
    let links: TokenSealer
    let unspentLinks = UnspentLinks()

    /// Creates a configuration.
    ///
    /// - Parameters:
    ///   - key: The key of links, of ``keyByteCount`` random bytes, the same for all servers that share their stores; `nil` for a
    ///     new one, with which earlier links are invalid.
    ///   - passwords: Verifies old passwords and hashes new ones by its policy: the service of the ``PasswordMechanism``.
    ///   - requirements: What new passwords must be like. The guideline requires a blocklist.
    /// - Throws: ``LoginServerError/invalidConfiguration``, ``LoginServerError/outOfMemory``.
    public init(
        key: SecretBytes? = nil,
        passwords: PasswordService,
        requirements: PasswordRequirements = PasswordRequirements()
    ) throws(LoginServerError) {
        self.passwords = passwords
        self.requirements = requirements
        links = TokenSealer(key: try TokenSealer.checkedKey(key), purpose: "account link")
    }

    /// Throws unless new passwords can be stored, and all users can log in with what is stored.
    func check(
        _ accounts: any LoginAccounts,
        _ mechanisms: [any ServerLoginMechanism]
    ) throws(LoginServerError) {
        guard accounts is any WritableAccounts else {
            throw LoginServerError(
                .invalidConfiguration,
                message: "passwords cannot be changed: the table of users is not one of WritableAccounts"
            )
        }
        guard let other = mechanisms.first(where: { $0 is SCRAMMechanism || $0 is TimestampedMechanism })
        else {
            return
        }
        throw LoginServerError(
            .invalidConfiguration,
            message:
                "passwords cannot be changed: a new one is stored as a hash, and no user with a hash can log in by the mechanism "
                + "'\(other.name)'"
        )
    }

    /// Returns why a new password is not acceptable; nothing if it is.
    func refusals(
        of password: SecretBytes,
        ofAccountNamed name: String
    ) throws(LoginServerError) -> [String] {
        let words: [PasswordRequirements.ContextWord] =
            [.userName(name)] + serviceNames.map { .serviceName($0) }
        do throws(PasswordError) {
            let rejections = try requirements.check(
                password,
                normalization: passwords.context.policy.normalization,
                about: words
            )
            // Several lists give the same sentence.
            return rejections.map(\.description).reduce(into: []) { texts, text in
                if !texts.contains(text) { texts.append(text) }
            }
        } catch {
            guard error.code != .outOfMemory else { throw .outOfMemory }
            throw LoginServerError(
                .storeFailed,
                message: "cannot check a new password: \(error.message)",
                underlying: error
            )
        }
    }

    func report(_ kind: AccountEvent.Kind, _ account: String, _ clientAddress: String?) {
        onEvent(AccountEvent(kind, account: account, clientAddress: clientAddress))
    }
}
