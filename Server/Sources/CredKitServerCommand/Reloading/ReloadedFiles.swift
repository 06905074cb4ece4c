// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// Files that are read again, all together, when one of them has changed.
struct ReloadedFiles: Sendable {
    /// Puts what was read into force. Returns what remains to be done.
    typealias Commit = @Sendable () -> Result

    /// What a reload has done.
    struct Result: Sendable {
        /// What is in force now, for the log.
        let message: String
        /// What remains to be done.
        var rest: @Sendable () async -> Void = {}
    }

    /// What is read, for the log.
    let name: String
    /// A word for the metrics.
    let label: String
    let files: [FileArgument]
    /// Reads and checks the files, and changes nothing.
    let read: @Sendable () throws -> Commit

    /// Whether the files can be read more than once.
    var canBeReloaded: Bool { files.allSatisfy { !$0.isStandardInput && $0.descriptor == nil } }

    /// The stamps of the files.
    var stamps: [FileStamp?] { files.map { FileStamp($0) } }
}
