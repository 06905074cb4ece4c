// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The parameters of new SCRAM verifiers, whose salt has 16 bytes.
struct SCRAMParameters: SchemeParameters {
    let function: SCRAM.HashFunction
    let iterations: Int
    var form = SCRAM.Verifier.Form.postgreSQL
    var preparation = SCRAM.Preparation.rfc4013

    var isMemoryless: Bool { true }
    var laneKernels: LaneKernels? { LaneKernels(function.derivation) }

    var variant: String { "\(form.name) \(preparation)" }

    var pepperObstacle: String? {
        "a SCRAM client computes the verifier's keys itself, so a pepper that only the server knows cannot be applied"
    }

    func computationCost(passwordByteCount: Int) -> ComputationCost {
        SCRAMHash.computationCost(function, iterations: iterations)
    }

    func hash(_ password: Span<UInt8>, _ context: HashingContext) throws(PasswordError) -> String {
        let salt = SecureRandom.bytes(count: 16)
        let prepared: SecretBytes?
        do throws(SCRAM.Error) {
            prepared = try preparation.apply(to: password)
        } catch {
            throw PasswordError(error)
        }
        let salted: SCRAM.SaltedPassword
        if let prepared {
            salted = try prepared.withSecretBytes { (prepared) throws(PasswordError) in
                try saltedPassword(prepared, salt, context)
            }
        } else {
            salted = try saltedPassword(password, salt, context)
        }
        do throws(SCRAM.Error) {
            let verifier = try SCRAM.Verifier(
                salted,
                iterations: iterations,
                salt: salt,
                preparation: preparation
            )
            return verifier.text(form)
        } catch {
            throw PasswordError(error)
        }
    }

    private func saltedPassword(
        _ prepared: Span<UInt8>,
        _ salt: [UInt8],
        _ context: HashingContext
    ) throws(PasswordError) -> SCRAM.SaltedPassword {
        do throws(KeyDerivationError) {
            return try SCRAM.SaltedPassword(
                prepared: prepared,
                function,
                salt: salt,
                iterations: iterations,
                interruption: context.interruption
            )
        } catch {
            throw PasswordError(error)
        }
    }

    func partialComputation(_ share: Double) -> PartialComputation? {
        let part = Int((Double(iterations) * share).rounded())
        guard part > 0 else { return nil }
        return PartialComputation(
            SCRAMParameters(function: function, iterations: part, form: form, preparation: preparation),
            share: Double(part) / Double(iterations)
        )
    }

    func hasCosts(of stored: any PasswordScheme) -> Bool {
        guard let record = (stored as? SCRAMHash)?.record, record.subject == .password else { return false }
        return record.verifier.hashFunction == function && record.verifier.iterations == iterations
    }

    func isStronger(than stored: any PasswordScheme) -> Bool? {
        guard let record = (stored as? SCRAMHash)?.record, record.verifier.hashFunction == function else {
            return nil
        }
        // An old copy of the table logs in to a verifier of a password-equivalent.
        return record.subject == .passwordEquivalent || record.verifier.iterations < iterations
    }
}

extension SCRAMHash {
    static var algorithms: [PasswordAlgorithm] {
        [algorithm(.scramSHA256, .sha256), algorithm(.scramSHA512, .sha512)]
    }

    private static func algorithm(
        _ scheme: PasswordHash.Scheme,
        _ function: SCRAM.HashFunction
    ) -> PasswordAlgorithm {
        PasswordAlgorithm(
            scheme: scheme,
            costs: [
                .init(
                    name: "iterations",
                    meaning: "iterations, which each login costs the client",
                    recommended: SCRAM.Iterations.recommended.count,
                    range: SCRAM.Iterations.minimumCount...10_000_000
                )
            ],
            tuning: .linear(costIndex: 0),
            make: { (costs) throws(PasswordError) in
                SCRAMParameters(function: function, iterations: costs[0])
            }
        )
    }
}

extension SCRAM.Verifier.Form {
    /// The name, in the parameters of a hash.
    var name: String {
        switch self {
        case .postgreSQL: "postgresql"
        case .dovecot: "dovecot"
        }
    }
}
