// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Sends many requests, several at once, and measures their cost in this process. The compared programs share this
/// code, so that each is measured in the same way.
package struct RequestLoad: Sendable {
    /// The headers that a session sends; other requests must have the same ones to be comparable.
    package static let userAgent = "CredKit"
    package static let cookie = "session=0123456789abcdef0123456789abcdef"
    package static let token = "fedcba9876543210fedcba9876543210"

    package let taskCount: Int
    package let requestCount: Int

    package init(taskCount: Int, requestCount: Int) {
        self.taskCount = taskCount
        self.requestCount = requestCount
    }

    /// Sends all requests.
    ///
    /// - Parameter request: Sends one request, and returns the size of its body.
    /// - Returns: The elapsed nanoseconds, the processor time of this process in nanoseconds, and the received bytes.
    /// - Throws: The first error of a request.
    package func run(_ request: @escaping @Sendable () async throws -> Int) async throws -> String {
        let processor = Self.processorNanoseconds
        let start = ContinuousClock.now
        let byteCount = try await withThrowingTaskGroup(of: Int.self) { group in
            for task in 0..<taskCount {
                let count = requestCount / taskCount + (task < requestCount % taskCount ? 1 : 0)
                group.addTask {
                    var byteCount = 0
                    for _ in 0..<count { byteCount += try await request() }
                    return byteCount
                }
            }
            return try await group.reduce(0, +)
        }
        let seconds = start.duration(to: .now) / .nanoseconds(1)
        return "\(Int(seconds)) \(Self.processorNanoseconds - processor) \(byteCount)"
    }

    /// The processor time of this process, all threads together.
    package static var processorNanoseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return time.tv_sec * 1_000_000_000 + time.tv_nsec
    }

    /// Answers each line of standard input, `NAME SCHEME TASKS REQUESTS`, with `ok …` or `error …`, until it ends.
    package static func answer(
        _ run: @Sendable (_ name: String, _ scheme: String, _ load: RequestLoad) async throws -> String
    ) async {
        while let line = readLine() {
            let words = line.split(separator: " ").map(String.init)
            let answer: String
            if words.count == 4, let tasks = Int(words[2]), let requests = Int(words[3]), tasks > 0 {
                do {
                    let load = RequestLoad(taskCount: tasks, requestCount: requests)
                    answer = "ok " + (try await run(words[0], words[1], load))
                } catch {
                    answer = "error \(error)"
                }
            } else {
                answer = "error malformed line; expected NAME SCHEME TASKS REQUESTS"
            }
            FileHandle.standardOutput.write(Data((answer + "\n").utf8))
        }
    }
}
