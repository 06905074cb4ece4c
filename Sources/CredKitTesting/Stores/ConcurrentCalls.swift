// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Many calls at the same time.
enum ConcurrentCalls {
    static let count = 64

    /// Runs an operation in many tasks, and returns their results in the order of the indices.
    static func run<Value: Sendable>(
        _ operation: @escaping @Sendable (_ index: Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            for index in 0..<count { group.addTask { (index, try await operation(index)) } }
            var results: [(Int, Value)] = []
            for try await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }
}
