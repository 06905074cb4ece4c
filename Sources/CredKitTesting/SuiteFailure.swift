// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// An expectation of a suite that was not met.
///
/// The suites of this module throw it, so they run in any test framework:
///
/// ```swift
/// func testReplayStore() async throws {
///     try await ReplayStoreSuite { MyReplayStore() }.run()
/// }
/// ```
public struct SuiteFailure: Error, Sendable, CustomStringConvertible {
    /// What was expected, and what happened instead.
    public let description: String

    /// Creates a failure.
    ///
    /// - Parameter description: What was expected, and what happened instead.
    public init(_ description: String) { self.description = description }

    /// Throws a failure unless a condition is true.
    ///
    /// - Parameters:
    ///   - condition: The condition.
    ///   - description: What was expected, and what happened instead.
    /// - Throws: ``SuiteFailure``.
    public static func check(
        _ condition: Bool,
        _ description: @autoclosure () -> String
    ) throws(SuiteFailure) {
        guard condition else { throw SuiteFailure(description()) }
    }
}
