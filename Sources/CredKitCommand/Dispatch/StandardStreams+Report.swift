// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

extension StandardStreams {
    /// Writes a message to standard error, on one line.
    static func report(_ message: String) {
        report(message, from: "credkit")
    }
}
