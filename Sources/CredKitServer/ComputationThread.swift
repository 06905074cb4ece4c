// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import Glibc

/// A thread for one computation.
///
/// On Linux the pool that `async` functions run on takes its threads from libdispatch's global queues, so that blocking
/// one of those would take it away from the pool. A thread of its own costs some 30 µs, a thousandth of what it is for.
enum ComputationThread {
    /// Runs `body` on a new thread.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async throws(PasswordError) -> Value {
        let outcome: Value? = await withCheckedContinuation { continuation in
            let work = Work { continuation.resume(returning: body()) }
            if !start(work) { continuation.resume(returning: nil) }
        }
        // There are no more threads or no memory for their stacks.
        guard let outcome else { throw .busy }
        return outcome
    }

    private final class Work: Sendable {
        let body: @Sendable () -> Void
        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static func start(_ work: Work) -> Bool {
        let attributes = UnsafeMutablePointer<pthread_attr_t>.allocate(capacity: 1)
        defer { unsafe attributes.deallocate() }
        guard unsafe pthread_attr_init(attributes) == 0 else { return false }
        defer { unsafe pthread_attr_destroy(attributes) }
        unsafe pthread_attr_setdetachstate(attributes, Int32(PTHREAD_CREATE_DETACHED))
        unsafe pthread_attr_setstacksize(attributes, 1 << 20)
        let argument = unsafe Unmanaged.passRetained(work)
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
}
