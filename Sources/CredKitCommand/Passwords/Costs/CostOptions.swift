// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// The options for the costs of a password hashing scheme. All of them have recommended values.
protocol CostOptions: ParsableArguments {
    /// The costs that are given, by their names in the library, memory in KiB.
    var costs: [String: Int?] { get }

    /// Returns the parameters with what is given.
    func parameters(of scheme: PasswordHash.Scheme) throws -> PasswordParameters
}

extension CostOptions {
    /// Returns the parameters with the costs that are given.
    func parameters(of scheme: PasswordHash.Scheme) throws -> PasswordParameters {
        try SchemeCosts.parameters(of: scheme, costs.compactMapValues { $0 })
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

    var costs: [String: Int?] { ["memory": memory?.kibibytes, "passes": passes] }
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

    var costs: [String: Int?] { ["log-n": cost, "block-size": blockSize, "parallelism": parallelism] }
}

/// The cost of bcrypt and yescrypt.
struct LogarithmicCostOptions: CostOptions {
    @Option(help: ArgumentHelp("The cost; one more doubles the time.", valueName: "n"))
    var cost: Int?

    var costs: [String: Int?] { ["cost": cost] }
}

/// The cost of SHA-crypt.
struct RoundsOptions: CostOptions {
    @Option(help: ArgumentHelp("The number of rounds.", valueName: "n"))
    var rounds: Int?

    var costs: [String: Int?] { ["rounds": rounds] }
}

/// The cost of PBKDF2.
struct IterationsOptions: CostOptions {
    @Option(help: ArgumentHelp("The number of iterations.", valueName: "n"))
    var iterations: Int?

    var costs: [String: Int?] { ["iterations": iterations] }
}
