// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import ServiceLifecycle
import UnixSignals

/// Reloads files at SIGHUP and when they have changed.
struct ReloadService: Service {
    /// The time from one look at the files to the next.
    private static let interval = Duration.seconds(1)

    let reloader: Reloader

    func run() async throws {
        let signals = await UnixSignalsSequence(trapping: .sighup)
        await cancelWhenGracefulShutdown {
            await withTaskGroup(of: Void.self) { group in
                group.addTask {
                    for await _ in signals { await reloader.reload(isForced: true) }
                }
                group.addTask {
                    while (try? await Task.sleep(for: Self.interval)) != nil {
                        await reloader.reload(isForced: false)
                    }
                }
                await group.waitForAll()
            }
        }
    }
}
#endif
