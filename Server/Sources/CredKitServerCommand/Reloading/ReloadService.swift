// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ServiceLifecycle
import UnixSignals

/// Reloads files at SIGHUP and when they have changed.
struct ReloadService: Service {
    /// The time from one look at the files to the next.
    private static let interval = Duration.seconds(1)

    let reloader: Reloader

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        // One reload at a time.
        let (reloads, asked) = AsyncStream.makeStream(of: Bool.self)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in signals { asked.yield(true) }
                }
                group.addTask {
                    while (try? await Task.sleep(for: Self.interval)) != nil { asked.yield(false) }
                }
                for await isForced in reloads { await reloader.reload(isForced: isForced) }
            }
        }
    }
}
