// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// Counts hashes whose scheme is not declared among the first of a table.
struct UndeclaredHashes {
    private var seen = 0
    private var ambiguous = 0
    private var reason = ""

    /// Adds what becomes of a record.
    mutating func add(_ outcome: HashUpgrader.Outcome) {
        seen += 1
        switch outcome {
        case .problem(let remark) where remark.kind == UpgradeRemark.ambiguous:
            ambiguous += 1
            reason = remark.reason
        case .kept(.withoutPassword, _), .kept(.locked, _), .kept(.comment, _): break
        // Some hash can be read, so the options are not wrong for all.
        default: ambiguous = .min
        }
    }

    /// Refuses a table whose first hashes all need `--as`: a line for each of millions of records would say no more.
    func check(_ name: String, _ bareHashes: BareHashOptions) throws(CommandFailure) {
        guard seen >= TablePreview.maximumCount, ambiguous > 0, !bareHashes.isDeclared else { return }
        throw CommandFailure(
            .malformed,
            "\(name): none of the first \(seen) records has a hash that can be read: \(reason); nothing was written"
        )
    }
}
