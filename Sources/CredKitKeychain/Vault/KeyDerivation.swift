// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What it costs to make a vault's key from a passphrase, by Argon2id with one lane.
///
/// Each slot of a vault says what its own derivation costs; a value of this type says it for slots that are made.
public struct KeyDerivation: Sendable, Hashable {
    /// 64 MiB and 3 passes, RFC 9106's second recommendation with one lane: some 0.1 seconds.
    public static let standard = KeyDerivation(uncheckedMemoryKiB: 64 << 10, passes: 3)

    /// The memory in KiB, from 8 to 1,048,576.
    public let memoryKiB: Int

    /// The passes over the memory, from 1 to 64.
    public let passes: Int

    private init(uncheckedMemoryKiB memoryKiB: Int, passes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
    }

    /// Costs.
    ///
    /// - Parameters:
    ///   - memoryKiB: The memory in KiB, from 8 to 1,048,576.
    ///   - passes: The passes over the memory, from 1 to 64; times the memory at most 4,194,304 KiB.
    /// - Throws: ``KeychainError/overLimit`` when they are outside of these bounds.
    public init(memoryKiB: Int, passes: Int) throws(KeychainError) {
        guard VaultLimits.memoryKiB.contains(memoryKiB), VaultLimits.passes.contains(passes),
            memoryKiB * passes <= VaultLimits.memoryKiBTimesPasses
        else {
            throw .overLimit(
                "a key derivation with \(memoryKiB) KiB of memory and \(passes) passes is beyond what is allowed: "
                    + "from 8 KiB to 1 GiB, from 1 to 64 passes, at most 4 GiB all passes together"
            )
        }
        self.init(uncheckedMemoryKiB: memoryKiB, passes: passes)
    }
}
