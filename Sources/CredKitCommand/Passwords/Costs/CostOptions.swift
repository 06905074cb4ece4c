// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// The options for the costs of a password hashing scheme. All of them have recommended values.
protocol CostOptions: ParsableArguments {
    /// The costs that are given.
    var costs: SchemeCosts { get }

    /// Returns the parameters with what is given.
    func parameters(of scheme: PasswordHash.Scheme) throws -> PasswordParameters
}

extension CostOptions {
    func parameters(of scheme: PasswordHash.Scheme) throws -> PasswordParameters {
        try costs.parameters(of: scheme)
    }
}

/// The costs of Argon2id.
struct Argon2idCostOptions: CostOptions {
    @Option(help: ArgumentHelp("The memory of one hash: 64MiB.", valueName: "size"))
    var memory: MemorySizeArgument?

    @Option(help: ArgumentHelp("How often the memory is filled.", valueName: "n"))
    var passes: Int?

    @Option(help: ArgumentHelp("The number of lanes; new hashes have 1.", valueName: "n"))
    var lanes: Int?

    func validate() throws {
        // libsodium computes one lane.
        guard lanes ?? 1 == 1 else {
            throw ValidationError("--lanes: new hashes have 1 lane; hashes with other numbers are verified.")
        }
    }

    var costs: SchemeCosts { SchemeCosts(["memory": memory?.kibibytes, "passes": passes]) }
}

/// The costs of scrypt.
struct ScryptCostOptions: CostOptions {
    @Option(
        help: ArgumentHelp("The binary logarithm of N; one more doubles time and memory.", valueName: "n")
    )
    var cost: Int?

    @Option(help: ArgumentHelp("r, the block size in units of 128 bytes.", valueName: "n"))
    var blockSize: Int?

    @Option(help: ArgumentHelp("p, the number of repetitions.", valueName: "n"))
    var parallelism: Int?

    var costs: SchemeCosts {
        SchemeCosts(["log-n": cost, "block-size": blockSize, "parallelism": parallelism])
    }
}

/// The cost of bcrypt and yescrypt.
struct LogarithmicCostOptions: CostOptions {
    @Option(help: ArgumentHelp("The cost; one more doubles the time.", valueName: "n"))
    var cost: Int?

    var costs: SchemeCosts { SchemeCosts(["cost": cost]) }
}

/// The cost of SHA-crypt.
struct RoundsOptions: CostOptions {
    @Option(help: ArgumentHelp("The number of rounds.", valueName: "n"))
    var rounds: Int?

    var costs: SchemeCosts { SchemeCosts(["rounds": rounds]) }
}

/// The cost of PBKDF2.
struct IterationsOptions: CostOptions {
    @Option(help: ArgumentHelp("The number of iterations.", valueName: "n"))
    var iterations: Int?

    var costs: SchemeCosts { SchemeCosts(["iterations": iterations]) }
}

/// The cost, form and preparation of a SCRAM verifier.
struct SCRAMCostOptions: CostOptions {
    enum Form: String, ExpressibleByArgument, CaseIterable {
        case postgresql, dovecot
    }

    enum Preparation: String, ExpressibleByArgument, CaseIterable {
        case rfc4013, postgresql
    }

    @Option(
        help: ArgumentHelp(
            "The number of iterations; many clients refuse more than 600000, and all fewer than 4096.",
            valueName: "n"
        )
    )
    var iterations: Int?

    @Option(help: "The form: PostgreSQL's, or that of Dovecot and GNU SASL (default: postgresql).")
    var form: Form?

    @Option(
        help:
            "How characters beyond ASCII are prepared, as clients must do too: by RFC 4013, or as PostgreSQL does, which accepts all (default: rfc4013)."
    )
    var preparation: Preparation?

    var costs: SchemeCosts { SchemeCosts(["iterations": iterations]) }

    func parameters(of scheme: PasswordHash.Scheme) throws -> PasswordParameters {
        try Self.parameters(
            of: scheme,
            costs,
            form: form == .dovecot ? .dovecot : .postgreSQL,
            preparation: preparation == .postgresql ? .postgreSQL : .rfc4013
        )
    }

    static func parameters(
        of scheme: PasswordHash.Scheme,
        _ costs: SchemeCosts,
        form: SCRAM.Verifier.Form,
        preparation: SCRAM.Preparation
    ) throws -> PasswordParameters {
        // The costs of all schemes are checked alike.
        let count = try costs.parameters(of: scheme).costs.first?.value
        guard let count = count.flatMap({ Int($0) }), let iterations = try? SCRAM.Iterations.fewer(count)
        else { throw ValidationError("--iterations is out of range.") }
        return scheme == .scramSHA512
            ? .scramSHA512(iterations: iterations, form: form, preparation: preparation)
            : .scramSHA256(iterations: iterations, form: form, preparation: preparation)
    }
}
