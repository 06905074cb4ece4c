// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The scheme of a user's new hash, and its costs, of which each scheme has its own.
struct UserHashOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The scheme (default: argon2id).", valueName: "scheme"))
    var scheme: NewSchemeArgument?

    @Option(help: ArgumentHelp("The memory of argon2id: 64MiB.", valueName: "size"))
    var memory: MemorySizeArgument?

    @Option(help: ArgumentHelp("The passes of argon2id.", valueName: "n"))
    var passes: Int?

    @Option(help: ArgumentHelp("The cost of bcrypt, yescrypt and scrypt.", valueName: "n"))
    var cost: Int?

    @Option(help: ArgumentHelp("The rounds of sha512-crypt and sha256-crypt.", valueName: "n"))
    var rounds: Int?

    @Option(help: ArgumentHelp("The iterations of PBKDF2 and SCRAM.", valueName: "n"))
    var iterations: Int?

    /// Whether the command line has one of these options.
    var isGiven: Bool {
        scheme != nil || [memory?.kibibytes, passes, cost, rounds, iterations].contains { $0 != nil }
    }

    /// Returns the parameters of the new hash.
    func parameters() throws -> PasswordParameters {
        let scheme = scheme?.scheme ?? .argon2id
        let costName = scheme == .scrypt ? "log-n" : "cost"
        let costs = SchemeCosts([
            "memory": memory?.kibibytes, "passes": passes, costName: cost, "rounds": rounds,
            "iterations": iterations,
        ])
        guard scheme == .scramSHA256 || scheme == .scramSHA512 else {
            return try costs.parameters(of: scheme)
        }
        // Between colons, verifiers have the form without colons.
        return try SCRAMCostOptions.parameters(of: scheme, costs, form: .dovecot, preparation: .rfc4013)
    }
}

/// A scheme for new hashes, by the name that `credkit hash` has for it.
struct NewSchemeArgument: ExpressibleByArgument {
    let scheme: PasswordHash.Scheme

    init?(argument: String) {
        guard Self.allValueStrings.contains(argument), let scheme = PasswordHash.Scheme(name: argument) else {
            return nil
        }
        self.scheme = scheme
    }

    static var allValueStrings: [String] { PasswordParameters.availableSchemes.map(\.name) }

    static var defaultCompletionKind: CompletionKind { .list(allValueStrings) }
}
