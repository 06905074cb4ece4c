// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Runs the parts of a suite one after the other.
struct SuiteRunner {
    typealias Part = (name: String, body: @Sendable () async throws -> Void)

    /// How long one part may take. A part that takes longer fails, so that an implementation that hangs is reported.
    let timeLimit: Duration

    /// Runs all parts, also after one has failed.
    ///
    /// - Throws: ``SuiteFailure`` with the failures of all parts, one per line.
    func run(_ parts: [Part]) async throws {
        var failures: [String] = []
        for part in parts {
            do {
                try await run(part.body)
            } catch {
                failures.append("\(part.name): \(error)")
            }
        }
        try SuiteFailure.check(failures.isEmpty, failures.joined(separator: "\n"))
    }

    private func run(_ body: @escaping @Sendable () async throws -> Void) async throws {
        let (results, continuation) = AsyncStream.makeStream(of: Result<Void, any Error>.self)
        let work = Task {
            do {
                try await body()
                continuation.yield(.success(()))
            } catch {
                continuation.yield(.failure(error))
            }
        }
        let timer = Task { [timeLimit] in
            try await Task.sleep(for: timeLimit)
            continuation.yield(.failure(SuiteFailure("did not finish within \(timeLimit)")))
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        // The first result counts. Work that ignores its cancellation is left behind.
        for await result in results { return try result.get() }
        throw CancellationError()
    }
}

extension SuiteFailure {
    /// Throws a failure unless two values are equal.
    static func expect<Value: Equatable>(
        _ actual: Value,
        toEqual expected: Value,
        _ subject: @autoclosure () -> String
    ) throws(SuiteFailure) {
        guard actual != expected else { return }
        throw SuiteFailure("\(subject()): expected \(expected), got \(actual)")
    }
}
