// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// A password hashing scheme as a type, so that each scheme has its own command.
protocol HashingScheme {
    /// The options for its costs.
    associatedtype Costs: CostOptions

    static var scheme: PasswordHash.Scheme { get }
    /// The costs in the example of the help.
    static var example: String { get }
    /// What else the help says.
    static var advice: String? { get }
}

extension HashingScheme {
    static var advice: String? { nil }
}

/// `credkit hash argon2id` and its peers: a new hash of a password.
struct PasswordHashCommand<Scheme: HashingScheme>: ParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: Scheme.scheme.name,
            abstract: "Print a new \(Scheme.scheme) hash of a password.",
            discussion: """
                For instance:
                  printf secret | credkit hash \(Scheme.scheme) \(Scheme.example)

                Costs and their defaults: \(SchemeCosts.help(of: Scheme.scheme)).
                """ + (Scheme.advice.map { "\n\n\($0)" } ?? "")
        )
    }

    @OptionGroup(title: "Costs")
    var costs: Scheme.Costs

    @Option(
        name: .customLong("for"),
        help: ArgumentHelp(
            "Print the hash as this system's table has it: behind a name in braces.",
            valueName: "system"
        )
    )
    var system: SystemArgument?

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup(title: "Keys and limits")
    var hasherOptions: PasswordContextOptions

    @OptionGroup(title: "Password")
    var passwordOptions: PasswordOptions

    @OptionGroup
    var strayArguments: UnexpectedArguments

    func validate() throws {
        _ = try costs.parameters(of: Scheme.scheme)
        if let system {
            try system.check(Scheme.scheme)
            guard hasherOptions.pepper.isEmpty else {
                throw ValidationError("--for: no other system verifies hashes with a --pepper.")
            }
        }
        try InputSources.check(passwordOptions, hasherOptions)
    }

    func run() throws {
        let policy = PasswordPolicy(preferred: try costs.parameters(of: Scheme.scheme))
        // Fail before the prompt, so that the user does not type the password in vain.
        let context = try hasherOptions.makeHasher(policy: policy)
        var hash = try context.hash(passwordOptions.read(isNew: true))
        if let system { hash = try system.notation(of: PasswordHash(hash, limits: context.limits)) }
        try CommandOutput(json: json).print(["scheme": Scheme.scheme.name, "hash": hash], text: hash)
    }
}

enum Argon2idCommand: HashingScheme {
    typealias Costs = Argon2idCostOptions
    static var scheme: PasswordHash.Scheme { .argon2id }
    static var example: String { "--memory 64MiB --passes 3" }
}

enum ScryptCommand: HashingScheme {
    typealias Costs = ScryptCostOptions
    static var scheme: PasswordHash.Scheme { .scrypt }
    static var example: String { "--cost 17" }
}

enum BcryptCommand: HashingScheme {
    typealias Costs = LogarithmicCostOptions
    static var scheme: PasswordHash.Scheme { .bcrypt }
    static var example: String { "--cost 12" }
}

enum YescryptCommand: HashingScheme {
    typealias Costs = LogarithmicCostOptions
    static var scheme: PasswordHash.Scheme { .yescrypt }
    static var example: String { "--cost 5" }
}

enum SHA512CryptCommand: HashingScheme {
    typealias Costs = RoundsOptions
    static var scheme: PasswordHash.Scheme { .sha512Crypt }
    static var example: String { "--rounds 656000" }
}

enum SHA256CryptCommand: HashingScheme {
    typealias Costs = RoundsOptions
    static var scheme: PasswordHash.Scheme { .sha256Crypt }
    static var example: String { "--rounds 656000" }
}

enum PBKDF2SHA256Command: HashingScheme {
    typealias Costs = IterationsOptions
    static var scheme: PasswordHash.Scheme { .pbkdf2SHA256 }
    static var example: String { "--iterations 600000" }
}

enum PBKDF2SHA512Command: HashingScheme {
    typealias Costs = IterationsOptions
    static var scheme: PasswordHash.Scheme { .pbkdf2SHA512 }
    static var example: String { "--iterations 210000" }
}

enum SCRAMSHA256Command: HashingScheme {
    typealias Costs = SCRAMCostOptions
    static var scheme: PasswordHash.Scheme { .scramSHA256 }
    static var example: String { "--iterations 4096" }
    static var advice: String? {
        """
        A verifier for logins in which the password is not sent: of PostgreSQL, Dovecot, XMPP and others, and of \
        CredKit's servers. For a form over TLS, 'credkit hash argon2id' is the better choice: a thief guesses passwords as \
        with PBKDF2. Never store one verifier in two systems: each could log in to the other.
        """
    }
}

enum SCRAMSHA512Command: HashingScheme {
    typealias Costs = SCRAMCostOptions
    static var scheme: PasswordHash.Scheme { .scramSHA512 }
    static var example: String { "--iterations 4096" }
    static var advice: String? { SCRAMSHA256Command.advice }
}
