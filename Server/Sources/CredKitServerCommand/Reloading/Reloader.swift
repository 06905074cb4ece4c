// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import NIOConcurrencyHelpers
import NIOPosix
import Glibc

/// Reads files again when they have changed.
///
/// A file has changed when it was replaced or written, and has then not changed any more from one look to the next, so that
/// a file that is being written is not read. What was read is used only if the files did not change in the meantime.
final class Reloader: Sendable {
    private struct Sight: Sendable {
        /// The stamps of the last attempt to read the files; `nil` if they must be read again in any case.
        var attempted: [FileStamp?]?
        /// The stamps at the last look.
        var seen: [FileStamp?]
    }

    private let sources: [ReloadedFiles]
    private let log: ServerLog
    private let metrics: ServerMetrics
    private let sights: NIOLockedValueBox<[Sight]>

    /// Creates a reloader.
    ///
    /// - Parameters:
    ///   - sources: The files, each of which has been read once. Those that can be read only once are ignored.
    ///   - stamps: The stamps of the files from before they were read, by the bytes of their names.
    ///   - log: The log of reloads.
    ///   - metrics: Counts reloads.
    init(
        _ sources: [ReloadedFiles],
        since stamps: [[UInt8]: FileStamp],
        log: ServerLog,
        metrics: ServerMetrics
    ) {
        self.sources = sources.filter(\.canBeReloaded)
        self.log = log
        self.metrics = metrics
        sights = NIOLockedValueBox(
            self.sources.map { source in
                let stamps = source.files.map { stamps[$0.bytes] }
                return Sight(attempted: stamps, seen: stamps)
            }
        )
    }

    /// Reads the files that have changed. Only one reload may run at a time.
    ///
    /// - Parameter isForced: Whether to read also those that have not changed.
    func reload(isForced: Bool) async {
        // Reading a file blocks.
        let rests = try? await NIOThreadPool.singleton.runIfActive {
            self.sources.indices.compactMap { self.look(at: $0, isForced: isForced) }
        }
        for rest in rests ?? [] { await rest() }
    }

    private func look(at index: Int, isForced: Bool) -> (@Sendable () async -> Void)? {
        let source = sources[index]
        let stamps = source.stamps
        let isDue = sights.withLockedValue { sights in
            defer { sights[index].seen = stamps }
            return isForced || sights[index].attempted != stamps && sights[index].seen == stamps
        }
        guard isDue else { return nil }
        do {
            let commit = try source.read()
            guard source.stamps == stamps else {
                // Read it again at the next look.
                sights.withLockedValue { $0[index].attempted = nil }
                return nil
            }
            let result = commit()
            sights.withLockedValue { $0[index].attempted = stamps }
            metrics.countReload(of: source.label, succeeded: true)
            log.note(.info, "reload", "reloaded the \(source.name): \(result.message)")
            return result.rest
        } catch {
            // An error is reported once, until the files change again.
            sights.withLockedValue { $0[index].attempted = stamps }
            metrics.countReload(of: source.label, succeeded: false)
            let reason = (error as? CommandFailure)?.message ?? "\(error)"
            log.note(
                .error,
                "reload",
                "cannot reload the \(source.name), so that the old one stays in force: \(reason)"
            )
            return nil
        }
    }
}

/// What changes when a file is replaced or written: its identity, size and times.
struct FileStamp: Sendable, Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let times: [Int]

    /// Reads the stamp of the file that a name, or the link of this name, refers to; `nil` if there is none.
    init?(_ file: FileArgument) {
        var status = stat()
        guard stat(file.bytes.map { CChar(bitPattern: $0) } + [0], &status) == 0 else { return nil }
        device = UInt(status.st_dev)
        inode = UInt(status.st_ino)
        size = Int(status.st_size)
        times = [
            status.st_mtim.tv_sec, status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec,
        ]
    }

    /// Returns the stamps of files by the bytes of their names.
    static func all(of files: [FileArgument]) -> [[UInt8]: FileStamp] {
        var stamps: [[UInt8]: FileStamp] = [:]
        for file in files { stamps[file.bytes] = FileStamp(file) }
        return stamps
    }
}

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
