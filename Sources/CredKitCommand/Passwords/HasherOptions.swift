// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// What passwords pass through, and what one computation may cost.
struct HasherOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A pepper by its identifier, all bytes of a file; the first one is for new hashes.",
            valueName: "id=file"
        )
    )
    var pepper: [KeyFileArgument] = []

    @Option(
        help: ArgumentHelp("The most memory for one hash (default: 512MiB).", valueName: "size")
    )
    var memoryLimit: MemorySize?

    @Option(
        help: ArgumentHelp("The most computation for one hash, reckoned (default: 5).", valueName: "seconds")
    )
    var timeLimit: Double?

    func validate() throws {
        guard timeLimit.map({ $0 > 0 && $0.isFinite }) ?? true else {
            throw ValidationError("--time-limit takes a number above 0.")
        }
    }

    /// The descriptors that keys are read from, as far as they are known by their number.
    var descriptors: [Int32] { pepper.compactMap(\.descriptor) }

    var limits: PasswordLimits {
        var limits = PasswordLimits.standard
        if let memoryLimit { limits.memoryByteCount = memoryLimit.kibibytes * 1024 }
        if let timeLimit { limits.seconds = timeLimit }
        return limits
    }

    /// The hasher, with the keys read.
    func makeHasher(
        policy: PasswordPolicy = .recommended,
        legacyKeys: [KeyFileArgument] = [],
        isVerifying: Bool = false
    ) throws -> PasswordHasher {
        let keys = try Self.read(pepper, "--pepper")
        let pepper = try self.pepper.first.map { try PasswordPepper(keys: keys, current: $0.keyID) }
        let legacy = try Self.read(legacyKeys, "--legacy-key")
        // Limits below the cost of new hashes are no obstacle where none is made.
        return isVerifying
            ? PasswordHasher(verifyingBy: policy, limits: limits, pepper: pepper, legacyKeys: legacy)
            : try PasswordHasher(policy: policy, limits: limits, pepper: pepper, legacyKeys: legacy)
    }

    private static func read(_ arguments: [KeyFileArgument], _ option: String) throws -> [String: SecretBytes]
    {
        var keys: [String: SecretBytes] = [:]
        for argument in arguments {
            guard keys.updateValue(try argument.read(), forKey: argument.keyID) == nil else {
                throw ValidationError("\(option) names the key '\(argument.keyID)' twice.")
            }
        }
        return keys
    }
}
