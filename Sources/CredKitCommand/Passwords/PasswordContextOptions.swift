// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// The options for peppers, and for the limits of one hash computation.
struct PasswordContextOptions: ParsableArguments, InputSource {
    @Option(
        help: ArgumentHelp(
            "A pepper: its identifier, and a file whose bytes are all used. New hashes use the first pepper.",
            valueName: "id=file"
        )
    )
    var pepper: [KeyFileArgument] = []

    @Option(
        help: ArgumentHelp("The maximum memory for one hash (default: 512MiB).", valueName: "size")
    )
    var memoryLimit: MemorySizeArgument?

    @Option(
        help: ArgumentHelp("The maximum estimated time for one hash (default: 5).", valueName: "seconds")
    )
    var timeLimit: Double?

    func validate() throws {
        guard timeLimit.map({ $0 > 0 && $0.isFinite }) ?? true else {
            throw ValidationError("--time-limit must be a number greater than 0.")
        }
    }

    /// The descriptors that keys are read from, as far as their numbers are known.
    var descriptors: [Int32] { pepper.compactMap(\.descriptor) }

    var limits: PasswordLimits {
        var limits = PasswordLimits.standard
        if let memoryLimit { limits.memory = memoryLimit.size }
        if let timeLimit { limits.computationTime = .seconds(min(timeLimit, 1e9)) }
        return limits
    }

    /// Reads the keys and creates the context.
    func makeHasher(
        policy: PasswordPolicy = .recommended,
        legacyKeys: [KeyFileArgument] = [],
        isVerifying: Bool = false
    ) throws -> PasswordContext {
        let keys = try Self.read(pepper, "--pepper")
        let pepper = try self.pepper.first.map { try PasswordPepper(keys: keys, current: $0.keyID) }
        let legacy = try Self.read(legacyKeys, "--legacy-key")
        // Verification alone creates no hash, so the limits may be below the cost of new hashes.
        return isVerifying
            ? PasswordContext(verifyingBy: policy, limits: limits, pepper: pepper, legacyKeys: legacy)
            : try PasswordContext(policy: policy, limits: limits, pepper: pepper, legacyKeys: legacy)
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

/// A key with its identifier: `ID=FILE`.
struct KeyFileArgument: ExpressibleByArgument {
    let keyID: String
    private let file: FileArgument

    init?(argument: String) {
        let bytes = Substring(argument).utf8
        let pair = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, !pair[0].isEmpty, !pair[1].isEmpty else { return nil }
        keyID = String(Substring(pair[0]))
        file = FileArgument(argument: String(Substring(pair[1])))
    }

    static var defaultCompletionKind: CompletionKind { .file() }

    /// The descriptor that the key is read from, if its number is known.
    var descriptor: Int32? { file.descriptor }

    /// Reads the key, all of its bytes.
    func read() throws -> SecretBytes {
        let name = ShellQuoting.escapingUnprintable(keyID)
        return try SecretReader(file: file, descriptor: nil, option: "", prompt: "Key \(name): ")
            .readAll(keepsLineFeed: true)
    }
}
