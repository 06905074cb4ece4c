// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Many calls at the same time.
enum ConcurrentCalls {
    static let count = 64

    /// Runs an operation in many tasks, and returns their results.
    static func run<Value: Sendable>(
        _ operation: @escaping @Sendable (_ index: Int) async throws -> Value
    ) async throws -> [Value] {
        try await withThrowingTaskGroup(of: Value.self) { group in
            for index in 0..<count { group.addTask { try await operation(index) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
    }
}
