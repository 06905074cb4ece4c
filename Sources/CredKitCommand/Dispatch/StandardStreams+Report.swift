// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

extension StandardStreams {
    /// Says something to people, on a line of standard error.
    static func report(_ message: String) {
        report(message, from: "credkit")
    }
}
