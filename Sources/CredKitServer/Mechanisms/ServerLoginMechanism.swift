// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// A way to log in, as a ``LoginService`` offers it beside others: what the client must send, and how that is verified.
///
/// A mechanism of your own is a type that conforms, and one element of the list that the service is created with:
///
/// ```swift
/// struct PINMechanism: ServerLoginMechanism {
///     let name = "pin"
///     func verify(_ attempt: LoginAttempt, account: LoginAccount?, at now: UnixTime) async throws -> MechanismVerdict { … }
/// }
///
/// let service = try LoginService(accounts: users, mechanisms: [PINMechanism()], storage: .memory(isFirstStart: true))
/// ```
///
/// The service counts the attempt before it asks the mechanism, looks up the account, marks what is valid once as used,
/// asks for a second step, forgets the attempts after a login, stores a newer hash, and delays rejections.
///
/// What ``verify(_:account:at:)`` must guarantee itself:
/// - **The same work in every case**: for an account that does not exist, for one that lacks the credential of this
///   mechanism, and for a malformed response. Put a stand-in in the place of the missing credential, which no response
///   matches, and decide at the end. The delay of the service hides small differences only.
/// - **No early exit**: compare secrets with `ConstantTime`, and compare all candidates even if the first one matches.
/// - **No secret is kept**: neither the response nor anything that logs in may be in an error, a log, or a property of
///   the mechanism after the call.
/// - **One accepted response is good for one login**, where a recorded response could be sent again. Name what was used
///   in the verdict, as a ``SingleUse``.
/// - **A bounded cost**: a response may be any bytes.
public protocol ServerLoginMechanism: Sendable {
    /// The name, which is unique in its service: from 1 to 64 printable ASCII characters, for example `password`.
    var name: String { get }

    /// Returns the mechanism with the stores of the service that it belongs to. The service calls this once, before
    /// anything else. By default, the mechanism stays as it is.
    ///
    /// - Parameter storage: The stores of the service.
    /// - Returns: The mechanism that the service uses.
    func connected(to storage: LoginStorage) -> Self

    /// Returns a challenge for the next login of a client. By default there is none.
    ///
    /// - Parameters:
    ///   - clientAddress: The address of the client: see ``ClientAddress``.
    ///   - now: The current time.
    /// - Returns: The challenge; `nil` if the mechanism has none.
    /// - Throws: Any error. ``LoginService`` wraps it.
    func challenge(for clientAddress: String, at now: UnixTime) async throws -> String?

    /// Returns how long a client should wait if its response could not be verified now, because there is too much to do. The
    /// service asks before it counts the attempt. By default, there is nothing to wait for.
    ///
    /// - Parameter attempt: What the client sent.
    /// - Returns: The time; `nil` to go on. It must not depend on whether the account exists.
    func unavailability(for attempt: LoginAttempt) async -> Duration?

    /// Verifies the response of a client.
    ///
    /// - Parameters:
    ///   - attempt: What the client sent.
    ///   - account: The user; `nil` if there is none. The service rejects the login of a user who does not exist, whatever
    ///     the verdict is.
    ///   - now: The current time.
    /// - Returns: The verdict. An invalid response is a verdict, and no error.
    /// - Throws: Any error. No user is logged in then, and ``LoginService`` wraps it. Whether an error is thrown must not
    ///   depend on the account.
    func verify(
        _ attempt: LoginAttempt,
        account: LoginAccount?,
        at now: UnixTime
    ) async throws -> MechanismVerdict

    /// Forgets a challenge after a successful login, so that it is no longer tried. By default, nothing happens.
    ///
    /// - Parameters:
    ///   - challenge: The challenge that the verdict named.
    ///   - clientAddress: The address of the client that logged in.
    /// - Throws: Any error. It is ignored: the login has succeeded.
    func consume(_ challenge: String, of clientAddress: String) async throws
}

extension ServerLoginMechanism {
    /// Returns the mechanism as it is.
    public func connected(to storage: LoginStorage) -> Self { self }

    /// Returns `nil`: there is nothing to wait for.
    public func unavailability(for attempt: LoginAttempt) async -> Duration? { nil }

    /// Returns `nil`: there is no challenge.
    public func challenge(for clientAddress: String, at now: UnixTime) async throws -> String? { nil }

    /// Does nothing.
    public func consume(_ challenge: String, of clientAddress: String) async throws {}
}
