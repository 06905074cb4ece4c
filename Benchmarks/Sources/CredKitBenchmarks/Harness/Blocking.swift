// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Blocks until an asynchronous call returns; the measuring thread has no other work.
enum Blocking {
    private final class Box<Value: Sendable>: @unchecked Sendable {
        var result: Result<Value, any Error>?
    }

    static func run<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
        let box = Box<Value>()
        let done = DispatchSemaphore(value: 0)
        Task.detached {
            do { box.result = .success(try await body()) } catch { box.result = .failure(error) }
            done.signal()
        }
        done.wait()
        guard let result = box.result else { throw CancellationError() }
        return try result.get()
    }
}
