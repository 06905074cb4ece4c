// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The cost of deriving a key from a passphrase, by Argon2id with one lane.
///
/// Each slot of a vault contains the cost of its own derivation; a value of this type is used for new slots.
public struct Argon2idCost: Sendable, Hashable {
    /// 64 MiB and 3 passes, RFC 9106's second recommendation with one lane: about 0.1 seconds.
    public static let standard = Argon2idCost(uncheckedMemoryKiB: 64 << 10, passes: 3)

    /// The memory in KiB, from 8 to 1,048,576.
    public let memoryKiB: Int

    /// The passes over the memory, from 1 to 64.
    public let passes: Int

    private init(uncheckedMemoryKiB memoryKiB: Int, passes: Int) {
        self.memoryKiB = memoryKiB
        self.passes = passes
    }

    /// Creates a cost.
    ///
    /// - Parameters:
    ///   - memoryKiB: The memory in KiB, from 8 to 1,048,576.
    ///   - passes: The passes over the memory, from 1 to 64. The product with the memory is at most 4,194,304 KiB.
    /// - Throws: ``KeychainError/overLimit`` if a value is outside these ranges.
    public init(memoryKiB: Int, passes: Int) throws(KeychainError) {
        guard VaultLimits.memoryKiB.contains(memoryKiB), VaultLimits.passes.contains(passes),
            memoryKiB * passes <= VaultLimits.memoryKiBTimesPasses
        else {
            throw .overLimit(
                "a key derivation with \(memoryKiB) KiB of memory and \(passes) passes is over the limit: "
                    + "from 8 KiB to 1 GiB, from 1 to 64 passes, at most 4 GiB for all passes together"
            )
        }
        self.init(uncheckedMemoryKiB: memoryKiB, passes: passes)
    }
}
