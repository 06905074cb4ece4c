// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitKeychain

extension FuzzTarget {
    /// Feeds the headers of vaults to their parser; most of them with the right size and checksum.
    static let vaultHeader = FuzzTarget("vault-header") { bytes in
        var input = FuzzInput(bytes)
        let isRepaired = input.byte() & 1 == 0
        let whole = isRepaired ? VaultHeaderProperties.repaired(input.remaining) : input.remaining
        try VaultHeaderProperties.check(whole)
    }
}

enum VaultHeaderProperties {
    /// Returns the bytes with the magic, the size and the checksum that belong to them.
    static func repaired(_ bytes: [UInt8]) -> [UInt8] {
        var header = VaultHeader.magic + bytes
        let count = header.count + 32
        guard header.count >= VaultHeader.prefixByteCount else { return header }
        for index in 0..<4 { header[12 + index] = UInt8(truncatingIfNeeded: count >> (index * 8)) }
        return header + SHA256.hash(data: header).bytes
    }

    static func check(_ whole: [UInt8]) throws {
        let result = Result { () throws(KeychainError) in try VaultHeader(whole.span) }
        guard case .success(let header) = result else { return }
        try requireEqual(header.bytes, whole, "a header has exactly one encoding")
        try requireEqual(
            try VaultHeader.byteCount(ofFileBeginning: whole.span),
            whole.count,
            "the stated size"
        )
        try require(header.generation > 0, "a saved vault has a generation")
        try require(
            (1...VaultLimits.slotCount).contains(header.slots.count),
            "the number of slots is limited"
        )
        let size = header.sealedByteCount
        try require(
            size >= 16 && size + whole.count <= VaultLimits.fileByteCount,
            "the file is limited: \(size)"
        )
        try checkBudget(header)
        for slot in header.slots {
            try require(slot.name.utf8.count <= VaultLimits.slotNameByteCount, "names of slots are limited")
            guard case .passphrase(let cost) = slot.kind else { continue }
            let (work, isOverflow) = cost.memory.bytes.multipliedReportingOverflow(by: cost.passes)
            try require(
                !isOverflow && work > 0 && work <= VaultLimits.memoryTimesPasses.bytes
                    && VaultLimits.memory.contains(cost.memory),
                "the cost of a slot is limited: \(cost)"
            )
        }
    }

    /// Slots that cost too much together are refused before one is tried.
    private static func checkBudget(_ header: VaultHeader) throws {
        let costs = header.slots.compactMap { if case .passphrase(let cost) = $0.kind { cost } else { nil } }
        let work = costs.reduce(0) { $0 + $1.memory.bytes * $1.passes }
        let largest = costs.map(\.memory).max() ?? .bytes(0)
        for (limits, maximum, memory) in [
            (DerivationBudget.Limits.vault, 16 << 30, MemorySize.gibibytes(1)),
            (DerivationBudget.Limits.archive, 2 << 30, MemorySize.mebibytes(128)),
        ] {
            let isAccepted = (try? DerivationBudget(limits, nil).check(header.slots)) != nil
            try requireEqual(
                isAccepted,
                work <= maximum && largest <= memory,
                "all slots are limited together: \(work)"
            )
        }
    }
}
