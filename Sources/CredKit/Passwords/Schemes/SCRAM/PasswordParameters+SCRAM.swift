// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordParameters {
    /// Returns the parameters of a verifier for SCRAM-SHA-256 logins. For a form over TLS,
    /// ``argon2id(memory:passes:lanes:)`` is the better choice.
    ///
    /// - Parameters:
    ///   - iterations: The number of iterations: the time of a client's login is proportional to it.
    ///   - form: The form of the text.
    ///   - preparation: The preparation of the password, which clients must use too.
    /// - Returns: The parameters.
    public static func scramSHA256(
        iterations: SCRAM.Iterations = .recommended,
        form: SCRAM.Verifier.Form = .postgreSQL,
        preparation: SCRAM.Preparation = .rfc4013
    ) -> Self {
        Self(scram: .sha256, .scramSHA256, iterations, form, preparation)
    }

    /// Returns the parameters of a verifier for SCRAM-SHA-512 logins; see ``scramSHA256(iterations:form:preparation:)``.
    ///
    /// - Parameters:
    ///   - iterations: The number of iterations: the time of a client's login is proportional to it.
    ///   - form: The form of the text.
    ///   - preparation: The preparation of the password, which clients must use too.
    /// - Returns: The parameters.
    public static func scramSHA512(
        iterations: SCRAM.Iterations = .recommended,
        form: SCRAM.Verifier.Form = .postgreSQL,
        preparation: SCRAM.Preparation = .rfc4013
    ) -> Self {
        Self(scram: .sha512, .scramSHA512, iterations, form, preparation)
    }

    private init(
        scram function: SCRAM.HashFunction,
        _ scheme: PasswordHash.Scheme,
        _ iterations: SCRAM.Iterations,
        _ form: SCRAM.Verifier.Form,
        _ preparation: SCRAM.Preparation
    ) {
        self.init(
            scheme: scheme,
            costs: [.init("iterations", iterations.count)],
            SCRAMParameters(
                function: function,
                iterations: iterations.count,
                form: form,
                preparation: preparation
            )
        )
    }
}
