// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTerminal

/// Fingerprints of a large table: sorted runs in a temporary file that has no name, and in memory.
final class FingerprintRuns: Sendable {
    private struct State: Sendable {
        var file: Descriptor?
        var count = 0
        /// The number of fingerprints in each run of the file, one behind the other.
        var written: [Int] = []
        var kept: [[UInt64]] = []
    }

    private let folder: FileArgument
    private let state = Lock(State())

    /// - Parameter folder: The folder of the temporary file, which is only made when there is something to write.
    init(folder: FileArgument) { self.folder = folder }

    /// Writes sorted fingerprints. Several threads can do this at once.
    func write(_ run: [UInt64]) throws {
        try reporting { () throws(SystemError) in
            let (file, start) = try state.withLock { (state) throws(SystemError) -> (Descriptor, Int) in
                if state.file == nil { state.file = try Descriptor.temporary(in: folder.bytes, operation) }
                guard let file = state.file else { throw SystemError(.inputOutput, operation) }
                state.written.append(run.count)
                state.count += run.count
                return (file, state.count - run.count)
            }
            try Self.withBytes(of: run) { (bytes) throws(SystemError) in
                try file.writeAll(bytes, at: start * 8, operation)
            }
        }
    }

    /// Adds sorted fingerprints that need not be written.
    func keep(_ run: [UInt64]) {
        state.withLock { if !run.isEmpty { $0.kept.append(run) } }
    }

    /// Counts the values that occur several times.
    func sharing() throws -> PasswordTableAudit.Sharing {
        let state = state.withLock { $0 }
        var sharing = PasswordTableAudit.Sharing()
        try reporting { () throws(SystemError) in
            // However many runs there are, they are read through about 2 MiB.
            let size = max(64, min(8192, 262_144 / max(1, state.written.count)))
            var runs: [FingerprintRun] = []
            var start = 0
            for count in state.written {
                guard let file = state.file else { break }
                runs.append(FingerprintRun(file, start..<start + count, bufferCount: size, operation))
                start += count
            }
            runs += state.kept.map { FingerprintRun($0) }
            var merge = try FingerprintMerge(runs)
            while let value = try merge.next() { sharing.add(value) }
        }
        sharing.finish()
        return sharing
    }

    private var operation: String {
        "temporary file in \(folder.quoted) (--temporary-folder names another folder)"
    }

    private func reporting(_ body: () throws(SystemError) -> Void) throws {
        do throws(SystemError) { try body() } catch {
            throw CommandFailure(.inputOutput, error.description)
        }
    }

    private static func withBytes(
        of values: [UInt64],
        _ body: (UnsafeRawBufferPointer) throws(SystemError) -> Void
    ) throws(SystemError) {
        let outcome = values.withUnsafeBytes { bytes in
            Result { () throws(SystemError) in try body(bytes) }
        }
        try outcome.get()
    }
}
