// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal
import NIOConcurrencyHelpers
import NIOPosix

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
