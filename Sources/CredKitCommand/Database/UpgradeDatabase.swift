// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// Runs statements in the database of an upgrade, each in a transaction of its own.
///
/// `run` may be called from several threads at once, and blocks its thread until the server has answered.
struct UpgradeDatabase: Sendable {
    let run: @Sendable (_ text: String, _ parameters: [SQLValue]) throws -> [[SQLValue]]

    /// Runs a statement whose parameters and results are texts in the encoding of the database, as bytes.
    func rows(_ text: String, _ parameters: [SQLValue] = []) throws -> [UpgradeRow] {
        try run(text, parameters).map(UpgradeRow.init)
    }
}
