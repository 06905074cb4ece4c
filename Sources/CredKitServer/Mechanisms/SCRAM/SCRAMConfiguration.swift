// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The settings of a ``SCRAMMechanism``.
public struct SCRAMConfiguration: Sendable {
    /// The hash function of the verifiers that log in: SHA-256 or SHA-512. An account with a verifier of the other one is
    /// treated like one that does not exist. Default: SHA-256.
    public var hashFunction = SCRAM.HashFunction.sha256

    /// The channel bindings that are offered, and whether one is required. A server that is configured with its certificate can
    /// offer `SCRAM.ChannelBinding.serverEndPoint(certificate:)`; one behind a proxy that ends TLS can offer the one of the
    /// proxy's certificate. Default: none.
    public var binding = SCRAM.Server.BindingOffer.none

    /// Returns the channel bindings that are offered now, in place of ``binding``: for a server whose certificate is renewed
    /// while it runs. Default: `nil`, for ``binding``.
    public var currentBinding: (@Sendable () -> SCRAM.Server.BindingOffer)?

    /// Whether the server says of each user what the verifier was made of, the password or the password-equivalent of the
    /// timestamped login. Turn it on only if the table is mixed: it is a property of the account that anyone can ask for.
    /// Default: off.
    public var statesSubject = false

    /// Whether users whose verifier was made of a password-equivalent can replace it, after a login, with one of the password:
    /// see ``LoginService/replaceVerifier(ticket:verifier:user:mechanism:at:)``. The table is then mixed, and ``statesSubject``
    /// must be on. The mock verifiers need the kind of the replacements in the share that you expect, or else one request shows
    /// that a user with a replaced verifier exists.
    ///
    /// A thief of an old table logs in with a password-equivalent and can store a verifier of another password: inform the
    /// user, or require a second step. Default: off.
    public var replacesLayeredVerifiers = false

    /// The numbers of iterations that a new verifier of a user may have. Default: 600,000 alone. A verifier of a kind that the
    /// mock verifiers do not have shows that its user exists.
    public var replacementIterations =
        SCRAM.Iterations.recommended.count...SCRAM.Iterations.recommended.count

    /// The sizes of the salt, in bytes, that a new verifier of a user may have. Default: 16 alone.
    public var replacementSaltByteCounts = 16...16

    /// The time in which a login must be finished, from 1 to 600 seconds. A client computes 600,000 iterations in 0.04 to
    /// 0.2 s, and a user may have to type a one-time code. Default: 60 seconds.
    public var lifetime = Duration.seconds(60)

    /// Returns the form of a user name that the table compares, for example in lowercase: names that are one user there must
    /// be one name here, or else their salts show which users exist. Default: the name as it is.
    public var normalizingName: @Sendable (String) -> String = { $0 }

    /// Creates a configuration with the default values.
    public init() {}

    /// Throws if a value is outside its range.
    func check(_ kinds: [SCRAM.MockVerifiers.Kind]) throws(LoginServerError) {
        func require(_ condition: Bool, _ message: String) throws(LoginServerError) {
            guard condition else { throw LoginServerError(.invalidConfiguration, message: message) }
        }
        try LoginServerError.check("the lifetime of a login", lifetime, in: .seconds(1)...(.seconds(600)))
        try require(hashFunction != .sha1, "no login uses SCRAM with SHA-1")
        try require(
            kinds.allSatisfy { $0.hashFunction == hashFunction },
            "all mock verifiers must have the hash function of the mechanism, \(hashFunction.rawValue)"
        )
        try require(
            !replacesLayeredVerifiers || statesSubject,
            "a table whose verifiers are replaced is mixed: statesSubject must be on as well"
        )
        try require(
            replacementIterations.lowerBound >= SCRAM.Iterations.minimumCount
                && replacementIterations.upperBound <= 10_000_000,
            "the iterations of new verifiers must be from 4,096 to 10,000,000"
        )
        try require(
            replacementSaltByteCounts.lowerBound >= 16 && replacementSaltByteCounts.upperBound <= 255,
            "the salts of new verifiers must have 16 to 255 bytes"
        )
        try require(
            !binding.isRequired || !binding.bindings.isEmpty,
            "channel binding cannot be required where none is offered"
        )
    }
}
