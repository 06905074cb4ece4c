// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTerminal
import Glibc

extension UpgradeCommand {
    /// Joins the parts that runs with `--shard` wrote. If anything fails, no output is left behind: writing it again takes
    /// little time.
    func join(
        to output: FileArgument,
        from source: OpenTable,
        _ input: FileArgument,
        _ preview: TablePreview,
        _ upgrader: inout TableUpgrader,
        _ meter: inout ProgressMeter
    ) throws {
        let format = options.columns.format(of: input)
        var parts = try ShardParts(shards.join, format: format)
        var reader = TableReader(descriptor: source.descriptor, format: format, name: input.quoted)
        // Before the output exists, so that a signal does not leave it behind.
        var signals = PendingSignals()
        defer { signals.restore() }
        let target = try TableOutput(output, isResuming: false, canResume: false)
        // Not within: a run that has locked the file meanwhile must not lose it.
        try target.lock()
        if preview.isLayered { preview.readers.report() }
        do {
            guard let signal = try upgrader.join(&parts, &reader, target, &signals, meter: &meter) else {
                return try target.finish()
            }
            target.discard()
            meter.finish()
            StandardStreams.report("stopped after \(upgrader.counts.total) records; nothing was written")
            signals.restore()
            raise(signal)
            throw CommandFailure(.tryAgain)
        } catch {
            target.discard()
            throw error
        }
    }
}
