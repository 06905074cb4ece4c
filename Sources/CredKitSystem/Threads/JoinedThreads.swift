// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Work that several threads share while the caller waits for it.
package enum JoinedThreads {
    private final class Work: Sendable {
        let number: Int
        let body: @Sendable (Int) -> Void

        init(_ number: Int, _ body: @escaping @Sendable (Int) -> Void) {
            self.number = number
            self.body = body
        }

        func run() { body(number) }
    }

    /// Runs `body` on this thread and on as many others as can be created, up to `count` in all, and returns when all
    /// have finished.
    ///
    /// `body` receives the number of its thread: 0 for this thread, and 1 and up for the others.
    package static func run(_ count: Int, _ body: @escaping @Sendable (Int) -> Void) {
        var threads: [pthread_t] = []
        for number in 1..<max(1, count) {
            let argument = unsafe Unmanaged.passRetained(Work(number, body))
            var thread = pthread_t()
            let status = unsafe pthread_create(
                &thread,
                nil,
                { argument in
                    guard let argument = unsafe argument else { return nil }
                    unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().run()
                    return nil
                },
                argument.toOpaque()
            )
            guard status == 0 else {
                unsafe argument.release()
                break
            }
            threads.append(thread)
        }
        body(0)
        for thread in threads { pthread_join(thread, nil) }
    }
}
