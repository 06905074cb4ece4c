// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

extension LoginProfile {
    /// SCRAM over HTTP ([RFC 7804](https://www.rfc-editor.org/rfc/rfc7804)): the password is not sent, and a login succeeds
    /// only after the server has proved that it knows the password's verifier.
    ///
    /// ```swift
    /// let school = LoginProfile.scram(keyPhrase: "school-2012")       // the verifiers are made of an old table
    /// let direct = LoginProfile.scram(channelBinding: .required(.serverEndPoint))
    /// ```
    ///
    /// A login costs the client 0.04 to 0.2 s for 600,000 iterations, on a thread of its own. A session keeps the keys in
    /// guarded memory, so that a renewal costs nothing.
    ///
    /// > Important: For a form over TLS, Argon2id at the server is the better choice (``form(path:)``): to a thief of the
    /// > table, a verifier of SCRAM is PBKDF2, which graphics cards compute fast. Use SCRAM to end a table of
    /// > password-equivalents without a reset of passwords, or where the server must not see the password.
    ///
    /// A session that has logged in by SCRAM refuses to go back to another mechanism: see
    /// ``LoginSession/Configuration/allowsMechanismDowngrade``.
    ///
    /// - Parameters:
    ///   - keyPhrase: The key phrase of the timestamped login whose password-equivalents the server's verifiers were made of;
    ///     `nil` if they were made of passwords. With a key phrase, a server whose table has both kinds says which one it is.
    ///   - hashFunction: SHA-256 or SHA-512.
    ///   - preparation: The preparation of the password with which the verifiers were made.
    ///   - channelBinding: Whether the login is bound to its TLS connection.
    ///   - maximumIterations: The most iterations that the server may ask for, from 4,096 to 10,000,000. The least is always
    ///     4,096: fewer would make a proof cheap to guess from.
    ///   - path: The path to log in at.
    ///   - replacesLayeredVerifier: Whether to send a verifier of the password itself, over TLS or to this computer, when the
    ///     server asks for one in place of that of the password-equivalent. It needs the key phrase. Whether that succeeds
    ///     makes no difference to the login.
    ///   - verifierPath: The path to send it to.
    /// - Returns: The profile. ``secondStep`` has no effect: a one-time code is asked for and sent as by default.
    public static func scram(
        keyPhrase: String? = nil,
        hashFunction: SCRAM.HashFunction = .sha256,
        preparation: SCRAM.Preparation = .rfc4013,
        channelBinding: ChannelBinding = .none,
        maximumIterations: Int = SCRAM.Iterations.recommended.count,
        path: String = "/scram",
        replacesLayeredVerifier: Bool = false,
        verifierPath: String = "/scram-verifier"
    ) -> Self {
        var profile = mechanism(
            SCRAMProfileMechanism(
                keyPhrase: keyPhrase,
                hashFunction: hashFunction,
                preparation: preparation,
                channelBinding: channelBinding,
                maximumIterations: maximumIterations,
                loginPath: path,
                replacesLayeredVerifier: replacesLayeredVerifier,
                verifierPath: verifierPath
            )
        )
        profile.logoutPath = SCRAMProfileMechanism.defaultLogoutPath
        return profile
    }
}

extension LoginProfile {
    /// Whether a login by SCRAM is bound to its TLS connection. A relay whose certificate this client trusts can then not use
    /// the login.
    public enum ChannelBinding: Sendable, Hashable {
        /// The login is not bound: for a server behind a proxy that ends TLS.
        case none

        /// The login is bound if the server offers it. That costs a request for the server's list of mechanisms. An attacker
        /// who removes the offer from the list is detected by the server. The login is not bound over a connection without
        /// TLS, or with a transport that cannot read the value; if the server offers it and the connection has no value of
        /// this kind, it fails.
        case preferred(SCRAM.ChannelBinding.Kind)

        /// The login is bound, or fails.
        case required(SCRAM.ChannelBinding.Kind)
    }
}
