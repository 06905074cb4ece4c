// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Detached threads with a stack of 1 MiB.
package enum DetachedThread {
    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    /// Runs `body` on a new thread; returns `false` if no thread could be created.
    package static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { unsafe attributes.deallocate() }
        guard unsafe pthread_attr_init(attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(attributes) }
        unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(attributes, 1 << 20)
        let argument = unsafe Unmanaged.passRetained(Work(body))
        var thread = pthread_t()
        let status = unsafe pthread_create(
            &thread,
            attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body()
                return nil
            },
            argument.toOpaque()
        )
        if status != 0 { unsafe argument.release() }
        return status == 0
    }

    /// Runs `body` on a new thread and waits for its result, also if the task is cancelled.
    ///
    /// - Parameter body: The work.
    /// - Returns: Its result; `nil` if no thread could be created.
    package static func value<Value: Sendable>(of body: @escaping @Sendable () -> Value) async -> Value? {
        // In a lock, because ThreadSanitizer does not see that a continuation which is resumed before it is awaited
        // orders memory.
        let value = Lock<Value?>(nil)
        await withCheckedContinuation { continuation in
            let isStarted = start {
                let result = body()
                value.withLock { $0 = result }
                continuation.resume()
            }
            if !isStarted { continuation.resume() }
        }
        return value.withLock { $0 }
    }
}
