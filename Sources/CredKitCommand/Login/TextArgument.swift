// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitTerminal

/// A text that is sent or stored, and therefore must be UTF-8.
struct TextArgument: ExpressibleByArgument {
    let text: String

    init?(argument: String) {
        guard let text = String(validating: RawArguments.encode(argument), as: UTF8.self) else { return nil }
        self.text = text
    }
}
