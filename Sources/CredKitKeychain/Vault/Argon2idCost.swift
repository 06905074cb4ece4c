// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The cost of deriving a key from a passphrase, by Argon2id with one lane.
///
/// Each slot of a vault contains the cost of its own derivation. New slots get a value of this type, and the cost of a slot that is read
/// passes the same checks before any derivation.
///
/// ```swift
/// configuration.argon2idCost = try Argon2idCost(memory: .mebibytes(256), passes: 4)
/// ```
public struct Argon2idCost: Sendable, Hashable {
    /// 64 MiB and 3 passes, RFC 9106's second recommendation with one lane: about 0.1 seconds.
    public static let standard = Argon2idCost(uncheckedMemory: .mebibytes(64), passes: 3)

    /// The memory, from 8 KiB to 1 GiB, in whole KiB.
    public let memory: MemorySize

    /// The passes over the memory, from 1 to 64.
    public let passes: Int

    private init(uncheckedMemory memory: MemorySize, passes: Int) {
        self.memory = memory
        self.passes = passes
    }

    /// Creates a cost.
    ///
    /// - Parameters:
    ///   - memory: The memory, from 8 KiB to 1 GiB, in whole KiB.
    ///   - passes: The passes over the memory, from 1 to 64. The product with the memory is at most 4 GiB.
    /// - Throws: ``KeychainError/overLimit`` if a value is outside these ranges, ``KeychainError/invalid`` for memory
    ///   that is not in whole KiB.
    public init(memory: MemorySize, passes: Int) throws(KeychainError) {
        guard VaultLimits.memory.contains(memory), VaultLimits.passes.contains(passes),
            memory.bytes * passes <= VaultLimits.memoryTimesPasses.bytes
        else {
            throw .overLimit(
                "a key derivation with \(memory) of memory and \(passes) passes is over the limit: "
                    + "from 8 KiB to 1 GiB, from 1 to 64 passes, at most 4 GiB for all passes together"
            )
        }
        guard memory.bytes.isMultiple(of: 1024) else {
            throw .invalid("the memory of a key derivation is \(memory), but must be a whole number of KiB")
        }
        self.init(uncheckedMemory: memory, passes: passes)
    }
}
