// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM.Error {
    /// A message of the other side is malformed.
    public static let malformedMessage = Self(.malformedMessage, message: "malformed SCRAM message")
    /// The other side requires something that is not supported.
    public static let unsupported = Self(.unsupported, message: "unsupported SCRAM feature")
    /// The nonce of the other side does not continue ours, or is not the one of this exchange.
    public static let foreignNonce = Self(
        .foreignNonce,
        message: "the nonce does not belong to this SCRAM exchange"
    )
    /// The server asks for fewer iterations than the client accepts, or for more.
    public static let iterationsRefused = Self(
        .iterationsRefused,
        message: "the number of iterations is outside the accepted range"
    )
    /// The server rejects the login.
    public static let rejected = Self(.rejected, message: "the server rejects the login")
    /// The server has not proved that it knows the verifier.
    public static let serverNotAuthenticated = Self(
        .serverNotAuthenticated,
        message:
            "the server has not proved that it knows the password's verifier: its signature is missing or wrong"
    )
    /// Channel binding is required and not possible, is for another connection, or was downgraded.
    public static let channelBindingFailed = Self(.channelBindingFailed, message: "channel binding failed")
    /// The text is not a verifier.
    public static let malformedVerifier = Self(.malformedVerifier, message: "malformed SCRAM verifier")
    /// The password or name contains characters that the preparation prohibits.
    public static let textNotAllowed = Self(
        .textNotAllowed,
        message: "the text contains characters that its preparation prohibits"
    )
    /// A number of iterations, a salt, a nonce or a message is outside its allowed range.
    public static let overLimit = Self(.overLimit, message: "over a limit of SCRAM")
    /// The keys were derived for another salt, number of iterations or hash function.
    public static let otherKeys = Self(
        .otherKeys,
        message: "the keys were derived for another salt, number of iterations or hash function"
    )
    /// There is not enough guarded memory.
    public static let outOfMemory = Self(.outOfMemory, message: "there is not enough memory for a SCRAM key")

    static func malformedMessage(_ detail: String) -> Self {
        .init(.malformedMessage, message: "malformed SCRAM message: \(detail)")
    }
    static func unsupported(_ detail: String) -> Self {
        .init(.unsupported, message: "unsupported SCRAM feature: \(detail)")
    }
    static func channelBindingFailed(_ detail: String) -> Self {
        .init(.channelBindingFailed, message: "channel binding failed: \(detail)")
    }
    static func malformedVerifier(_ detail: String) -> Self {
        .init(.malformedVerifier, message: "malformed SCRAM verifier: \(detail)")
    }
    static func textNotAllowed(_ detail: String) -> Self {
        .init(.textNotAllowed, message: detail)
    }
    static func overLimit(_ detail: String) -> Self {
        .init(.overLimit, message: "over a limit of SCRAM: \(detail)")
    }
}
