// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// The options of an upgrade of password-equivalents to SCRAM verifiers.
struct SCRAMUpgradeOptions: ParsableArguments {
    enum Target: String, ExpressibleByArgument, CaseIterable {
        case argon2id
        case scramSHA256 = "scram-sha-256"
        case scramSHA512 = "scram-sha-512"

        /// The hash function of SCRAM; `nil` for Argon2id.
        var function: SCRAM.HashFunction? {
            switch self {
            case .argon2id: nil
            case .scramSHA256: .sha256
            case .scramSHA512: .sha512
            }
        }
    }

    @Option(help: "The scheme of the new hashes; SCRAM requires --as timestamp (default: argon2id).")
    var to: Target?

    @Option(
        help: ArgumentHelp("For SCRAM, the number of iterations (default: 600000).", valueName: "n")
    )
    var iterations: Int?

    @Flag(help: "For SCRAM, keep the password-equivalents in the table, as long as old clients log in.")
    var keepEquivalent = false

    /// The hash function of SCRAM, if it is the target.
    var function: SCRAM.HashFunction? { to?.function }

    /// The number of iterations of new verifiers.
    func checkedIterations() throws -> SCRAM.Iterations {
        do throws(SCRAM.Error) {
            return try iterations.map { (count) throws(SCRAM.Error) in try .fewer(count) } ?? .recommended
        } catch {
            throw ValidationError("--iterations: \(error).")
        }
    }

    /// Rejects options of the other target, and hashes that cannot become verifiers.
    func check(_ options: UpgradeOptions) throws {
        guard let to, to != .argon2id else {
            guard iterations == nil, !keepEquivalent else {
                throw ValidationError("--iterations and --keep-equivalent require --to scram-sha-256.")
            }
            return
        }
        let bare = options.bareHashOptions
        guard bare.kinds == [.timestamp] else {
            throw ValidationError(
                "--to \(to.rawValue) requires --as timestamp: without the passwords, only the password-equivalents of a "
                    + "timestamped login can become SCRAM verifiers. PBKDF2 hashes could, but each old copy of their table would "
                    + "then log in. For all other hashes, make a verifier at a login that shows the password."
            )
        }
        let costs = !options.costs.costs.isEmpty || options.memoryBudget != nil
        let description =
            bare.salt != nil || bare.position != nil || bare.rounds != nil || bare.keyID != nil
            || options.columns.saltColumn != nil || bare.saltSeparator != nil
        guard !costs, !description, options.only.isEmpty, options.hasherOptions.pepper.isEmpty else {
            throw ValidationError(
                "--to \(to.rawValue) takes --iterations and --keep-equivalent, and none of the options for other hashes: costs, "
                    + "salts, --only, --pepper."
            )
        }
        _ = try checkedIterations()
    }

    /// Returns what becomes of the hashes of a table; `nil` if Argon2id is layered over them.
    func target(_ format: TableRecord.Format, limits: PasswordLimits) throws -> SCRAMUpgrade? {
        guard let function else { return nil }
        return SCRAMUpgrade(
            function: function,
            iterations: try checkedIterations(),
            // PostgreSQL's form contains colons.
            form: format == .colons ? .dovecot : .postgreSQL,
            keepsEquivalents: keepEquivalent,
            limits: limits
        )
    }
}
