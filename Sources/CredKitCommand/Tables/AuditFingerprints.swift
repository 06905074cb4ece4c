// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// The fingerprints of an audit that is done in parts, by one thread or several at once: most are in temporary files if there are
/// many.
final class AuditFingerprints: Sendable {
    private let hashes: FingerprintRuns
    private let salts: FingerprintRuns
    /// How many fingerprints of a kind a part collects until they are written.
    private let limit: Int

    /// The memory for the fingerprints of all parts is limited.
    private static let totalCount = 1 << 18

    /// - Parameters:
    ///   - folder: The folder of the temporary files.
    ///   - partCount: How many parts of the audit are done at once.
    init(temporaryFolder folder: FileArgument, partCount: Int) {
        hashes = FingerprintRuns(folder: folder)
        salts = FingerprintRuns(folder: folder)
        limit = Self.totalCount / partCount
    }

    /// Moves the fingerprints out of a part that has many.
    func writeMany(of audit: inout PasswordTableAudit, _ sorting: inout FingerprintSorting) throws {
        let counts = audit.fingerprintCount
        if counts.hashes >= limit {
            try audit.withHashFingerprints { try Self.write(&$0, to: hashes, &sorting) }
        }
        if counts.salts >= limit {
            try audit.withSaltFingerprints { try Self.write(&$0, to: salts, &sorting) }
        }
    }

    /// Moves the fingerprints out of a part that is complete.
    func keep(of audit: inout PasswordTableAudit, _ sorting: inout FingerprintSorting) {
        audit.withHashFingerprints { Self.keep(&$0, in: hashes, &sorting) }
        audit.withSaltFingerprints { Self.keep(&$0, in: salts, &sorting) }
    }

    /// Counts the values that occur several times, when all parts are complete.
    func sharing() throws -> (hashes: PasswordTableAudit.Sharing, salts: PasswordTableAudit.Sharing) {
        let sharing = try LayeringBatch.results(2, workerCount: 2) { [hashes, salts] in
            try ($0 == 0 ? hashes : salts).sharing()
        }.map { try $0.get() }
        guard sharing.count == 2 else { throw CommandFailure(.tryAgain) }
        return (sharing[0], sharing[1])
    }

    private static func write(
        _ fingerprints: inout [UInt64],
        to runs: FingerprintRuns,
        _ sorting: inout FingerprintSorting
    ) throws {
        sorting.sort(&fingerprints)
        try runs.write(fingerprints)
        fingerprints.removeAll(keepingCapacity: true)
    }

    private static func keep(
        _ fingerprints: inout [UInt64],
        in runs: FingerprintRuns,
        _ sorting: inout FingerprintSorting
    ) {
        sorting.sort(&fingerprints)
        runs.keep(fingerprints)
        fingerprints = []
    }
}
