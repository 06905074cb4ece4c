// Part of CredKit. SPDX-License-Identifier: Apache-2.0

package import Glibc

/// A mutual exclusion lock around a value.
///
/// It is based on `pthread_mutex` because ThreadSanitizer on Linux understands it. With the lock of the
/// `Synchronization` module ThreadSanitizer reports false races.
@safe
package final class Lock<Value>: @unchecked Sendable {
    // Both are accessed only with the mutex held, except in deinit, when no other reference is left.
    @usableFromInline
    let mutex: UnsafeMutablePointer<pthread_mutex_t>
    @usableFromInline
    var value: Value

    package init(_ value: sending Value) {
        self.value = value
        unsafe mutex = .allocate(capacity: 1)
        unsafe mutex.initialize(to: pthread_mutex_t())
        let status = unsafe pthread_mutex_init(mutex, nil)
        precondition(status == 0, "pthread_mutex_init failed with \(status).")
    }

    deinit {
        unsafe pthread_mutex_destroy(mutex)
        unsafe mutex.deallocate()
    }

    /// Calls `body` with the value, with exclusive access.
    @inlinable
    package func withLock<Result, Failure: Error>(
        _ body: (inout Value) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&value)
    }
}
