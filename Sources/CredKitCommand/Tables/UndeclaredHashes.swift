// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// Counts the records of a table that cannot be read, until one with a hash that can.
struct UndeclaredHashes {
    private var seen = 0
    private var hasReadable = false
    /// Whether the first records are refused, unless bare hashes are declared.
    private(set) var needsDeclaration = false
    /// How many records have a problem, and the reason of the first one, by the kind.
    private var problems: [String: (count: Int, reason: String)] = [:]

    /// Adds what becomes of a record.
    mutating func add(_ outcome: HashUpgrader.Outcome) {
        seen += 1
        switch outcome {
        case .problem(let remark):
            problems[remark.kind, default: (count: 0, reason: remark.reason)].count += 1
        case .kept(.withoutPassword, _), .kept(.locked, _), .kept(.comment, _): break
        case .layered, .removed, .rehash, .kept: hasReadable = true
        }
        if seen == TablePreview.maximumCount {
            needsDeclaration = !hasReadable && problems[UpgradeRemark.ambiguous] != nil
        }
    }

    /// Refuses a large table with no hash that can be read, or whose first hashes all need `--as`: a line for each of millions of
    /// records would say no more.
    ///
    /// - Parameters:
    ///   - name: The name of the table.
    ///   - bareHashes: What is declared of bare hashes.
    ///   - sawAll: Whether records were added until one with a hash that can be read, or to the end.
    /// - Throws: ``CommandFailure``.
    func check(_ name: String, _ bareHashes: BareHashOptions, sawAll: Bool) throws(CommandFailure) {
        if needsDeclaration, !bareHashes.isDeclared, let ambiguous = problems[UpgradeRemark.ambiguous] {
            throw CommandFailure(
                .malformed,
                "\(name): none of the first \(TablePreview.maximumCount) records has a hash that can be read: "
                    + "\(ambiguous.reason); nothing was written"
            )
        }
        guard sawAll, seen >= TablePreview.maximumCount, !hasReadable,
            let most = problems.max(by: { $0.value.count < $1.value.count })
        else { return }
        throw CommandFailure(
            .malformed,
            "\(name): none of the \(seen) records has a hash that can be read: \(most.key) \(most.value.count) "
                + "(\(most.value.reason)); check --as and --hash-column; nothing was written"
        )
    }
}
