// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// The time that one request may wait for the engine of the shared state, over all of its steps.
///
/// Without it, each step may take the whole ``SharedStateConfiguration/timeLimit``, so that a request that takes four steps
/// waits four times as long for an engine that hangs.
///
/// ```swift
/// let decision = try await EngineBudget.with(.milliseconds(300)) {
///     try await service.logIn(with: "form", attempt)
/// }
/// ```
///
/// Other work of the request, such as hashing a password, does not count.
public final class EngineBudget: Sendable {
    @TaskLocal private static var current: EngineBudget?

    private let rest: Lock<Duration>

    private init(_ limit: Duration) {
        rest = Lock(limit.clamped)
    }

    /// Runs an operation within a budget. An outer budget does not apply to it.
    ///
    /// - Parameters:
    ///   - limit: The time that the operation may wait for the engine.
    ///   - isolation: The actor that the operation runs on.
    ///   - operation: The operation, such as a login.
    /// - Returns: What the operation returns.
    /// - Throws: What the operation throws.
    public static func with<Result>(
        _ limit: Duration,
        isolation: isolated (any Actor)? = #isolation,
        _ operation: () async throws -> Result
    ) async rethrows -> Result {
        try await $current.withValue(EngineBudget(limit), operation: operation, isolation: isolation)
    }

    /// Runs one step within the budget of this request, or within the limit if it has none.
    ///
    /// - Parameters:
    ///   - limit: The longest time for this step.
    ///   - step: Is passed the time that it may take, which is positive.
    /// - Returns: What the step returns.
    /// - Throws: ``SharedStateError/Code/budgetSpent`` if the budget is used up, and what the step throws.
    static func step<Result: Sendable>(
        upTo limit: Duration,
        _ step: (Duration) async throws -> Result
    ) async throws -> Result {
        let budget = current
        let rest = min(limit, budget?.rest.withLock { $0 } ?? limit)
        guard rest > .zero else { throw SharedStateError(.budgetSpent) }
        let start = ContinuousClock.now
        defer { budget?.spend(start.duration(to: .now)) }
        return try await step(rest)
    }

    private func spend(_ duration: Duration) {
        rest.withLock { $0 -= duration }
    }
}
