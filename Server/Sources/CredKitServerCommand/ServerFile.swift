// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// A file that the server reads when it starts, and trusts.
enum ServerFile {
    /// Returns all bytes of a file.
    static func read(_ file: FileArgument, upTo limit: Int) throws(CommandFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            let input = try InputFile(file)
            try input.refuseIfOthersCanChange()
            try input.forEachChunk { chunk in
                guard bytes.count + chunk.count <= limit else {
                    throw CommandFailure(
                        .malformed,
                        "\(file.quotedForMessage): more than \(limit) bytes"
                    )
                }
                for index in chunk.indices { bytes.append(chunk[index]) }
            }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure(.inputOutput, "\(file.quotedForMessage): \(error)")
        }
        return bytes
    }
}
