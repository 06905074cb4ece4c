// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Runs tasks on an event loop, which must not end before them. What computes for long or blocks must go elsewhere, as the
/// verification of passwords does: it has threads of its own.
final class EventLoopExecutor: TaskExecutor {
    private let loop: any EventLoop

    init(_ loop: any EventLoop) { self.loop = loop }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
