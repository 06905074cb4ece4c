// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// A key with its identifier: `ID=FILE`.
struct KeyFileArgument: ExpressibleByArgument {
    let keyID: String
    private let file: FileArgument

    init?(argument: String) {
        let bytes = Substring(argument).utf8
        let pair = bytes.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
        guard pair.count == 2, !pair[0].isEmpty, !pair[1].isEmpty else { return nil }
        keyID = String(Substring(pair[0]))
        file = FileArgument(argument: String(Substring(pair[1])))
    }

    static var defaultCompletionKind: CompletionKind { .file() }

    /// The descriptor that the key is read from, if its number is known.
    var descriptor: Int32? { file.descriptor }

    /// Reads the key, all of its bytes.
    func read() throws -> SecretBytes {
        let name = ShellQuoting.escapingUnprintable(keyID)
        return try SecretReader(file: file, descriptor: nil, option: "", prompt: "Key \(name): ")
            .readAll(keepsLineFeed: true)
    }
}
