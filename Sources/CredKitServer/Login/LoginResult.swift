// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The decision of a ``LoginService``, with the answer of the mechanism to the client. It prints without its content.
public struct LoginResult: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// The decision.
    public internal(set) var decision: LoginDecision

    /// What the mechanism answers; `nil` if it answers nothing.
    ///
    /// - The proof of the server, if the login was accepted as a whole: not used before, and with the code that the user must
    ///   send.
    /// - The same if only the code is missing, so that a client sends its code to this server alone.
    /// - The reason of a rejection, as the protocol names it, such as `e=invalid-proof`.
    public internal(set) var answer: String?

    /// What the user may replace the stored verifier with, for 60 seconds: see
    /// ``LoginService/replaceVerifier(ticket:verifier:user:mechanism:at:)``. Send it over TLS only. `nil` if there is nothing to
    /// replace.
    public internal(set) var verifierTicket: String?

    /// The session that was issued; `nil` if none was asked for, if the login was not accepted, or if the store of the
    /// sessions is full.
    public internal(set) var session: SessionToken?

    init(
        _ decision: LoginDecision,
        answer: String? = nil,
        verifierTicket: String? = nil,
        session: SessionToken? = nil
    ) {
        self.decision = decision
        self.answer = answer
        self.verifierTicket = verifierTicket
        self.session = session
    }

    /// The decision alone.
    public var description: String { "\(decision)" }

    /// A mirror without children: dumping an outcome reveals nothing of it.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
