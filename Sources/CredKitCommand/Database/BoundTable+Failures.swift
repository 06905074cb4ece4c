// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import CredKitTerminal

extension BoundTable {
    /// Returns what an error of a statement with the conditions means: a trigger of the table can cause the same ones.
    func meaning(of error: any Error, in database: UpgradeDatabase) -> any Error {
        guard Self.failures.contains((error as? SharedStateError)?.sqlState ?? "") else { return error }
        do {
            try database.rows("SELECT 1::bigint", conditions: conditionsOfChange)
            return error
        } catch let again {
            guard Self.failures.contains((again as? SharedStateError)?.sqlState ?? "") else { return error }
        }
        return CommandFailure(
            .tryAgain,
            "the table \(UpgradedTable.shown(name)) was renamed, exchanged for another one or has another trigger, constraint, index or policy "
                + "now; run the command again when it is as it was"
        )
    }
}
