// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The login with a password over TLS as a mechanism of ``LoginService``: by a form, or by HTTP's Basic authentication.
/// The response is the password.
///
/// ```swift
/// let passwords = try PasswordService(context: PasswordContext())
/// let service = try LoginService(accounts: users, mechanisms: [.password(passwords)], storage: storage)
/// let attempt = LoginAttempt(username: name, response: password, clientAddress: address)
/// let decision = try await service.logIn(with: PasswordMechanism.name, attempt)
/// ```
///
/// When the stored hash is weaker than the policy, ``LoginAccounts`` gets a new one to store. A password-equivalent or a SCRAM
/// verifier is never replaced: the user could no longer log in with a timestamped password, or by SCRAM.
///
/// > Warning: Accept passwords over TLS only.
public struct PasswordMechanism: ServerLoginMechanism {
    /// The name of the mechanism: `password`.
    public static let name = "password"

    /// The name of the mechanism: `password`.
    public var name: String { Self.name }

    private let passwords: PasswordService
    /// The iterations of verifiers that replace hashes.
    private let iterations: SCRAM.Iterations?

    /// Creates a mechanism.
    ///
    /// - Parameter passwords: Verifies the passwords. For accounts with a password-equivalent, its context needs the key
    ///   ``StoredCredential/hashKeyID``.
    public init(_ passwords: PasswordService) {
        self.passwords = passwords
        iterations = nil
    }

    /// Creates a mechanism that replaces the hash of each user who logs in with a SCRAM verifier, so that the user can log in by
    /// SCRAM from then on.
    ///
    /// > Warning: This is a step down. To a thief of the table, a verifier is PBKDF2, of which graphics cards compute thousands of
    /// > guesses while they compute one of Argon2id. Do this only for users who need SCRAM.
    ///
    /// - Parameters:
    ///   - passwords: Verifies the passwords. Its queue limits the computations of verifiers, too.
    ///   - iterations: The number of iterations of the verifiers.
    public init(_ passwords: PasswordService, unsafeStoresSCRAMVerifiers iterations: SCRAM.Iterations) {
        self.passwords = passwords
        self.iterations = iterations
    }

    /// Returns how long a client should wait if too many passwords are being verified.
    ///
    /// - Parameter attempt: What the client sent.
    /// - Returns: The time; `nil` if the password can be verified.
    public func unavailability(for attempt: LoginAttempt) async -> Duration? {
        await passwords.unavailability(account: attempt.username, clientAddress: attempt.clientAddress)
    }

    /// Verifies a password.
    ///
    /// - Parameters:
    ///   - attempt: What the client sent.
    ///   - account: The user; `nil` if there is none.
    ///   - now: The current time.
    /// - Returns: The verdict. A stored hash that is malformed or not supported matches no password: an error would reveal
    ///   which users have one.
    /// - Throws: ``LoginServerError/cancelled``.
    public func verify(
        _ attempt: LoginAttempt,
        account: LoginAccount?,
        at now: UnixTime
    ) async throws(LoginServerError) -> MechanismVerdict {
        let verification: PasswordVerification
        do throws(PasswordError) {
            verification = try await passwords.verify(
                attempt.response,
                against: account?.credential.passwordHash,
                account: attempt.username,
                clientAddress: attempt.clientAddress
            )
        } catch {
            switch error.code {
            case .busy: return .unavailable(retryAfter: passwords.configuration.retryAfter)
            case .cancelled: throw .cancelled
            default: return .rejected
            }
        }
        guard case .match(let newer) = verification else { return .rejected }
        guard account?.credential.isReplaceableByHash == true else { return .accepted() }
        if let iterations,
            let verifier = try? await passwords.verifier(
                of: attempt.response,
                iterations: iterations,
                clientAddress: attempt.clientAddress
            )
        {
            return .accepted(newCredential: StoredCredential(SCRAM.Record(verifier, of: .password)))
        }
        return .accepted(newCredential: newer.flatMap { try? StoredCredential($0) })
    }
}

extension ServerLoginMechanism where Self == PasswordMechanism {
    /// Returns the login with a password over TLS.
    ///
    /// - Parameter passwords: Verifies the passwords.
    /// - Returns: The mechanism.
    public static func password(_ passwords: PasswordService) -> Self { PasswordMechanism(passwords) }
}
