// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A ``RateStore`` that counts in this process while a shared store fails, with its part of each limit.
///
/// With a number of servers, each of them allows the limit divided by this number, and at least one attempt. Together they
/// exceed the limit of the shared store by at most one more limit, or one attempt for each server.
///
/// After a failure, one attempt in half a second is tried with the shared store; the others do not wait for it.
///
/// Whether the login itself is accepted then is for `CompletingSteps`: one that creates a session or uses something up
/// is not.
public final class FallbackRateStore: RateStore {
    private struct State: Sendable {
        /// The time from which the shared store is tried again; `nil` while it answers.
        var retryAt: Duration?
    }

    private static let pause = Duration.milliseconds(500)

    private let shared: any RateStore
    private let own: any RateStore
    private let serverCount: Int
    private let clock: StoreClock
    private let state = Lock(State())

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - shared: The store that all servers share.
    ///   - serverCount: The number of servers that share it, at least 1.
    ///   - own: The store of this process; `nil` for an ``InMemoryRateStore`` with its default values.
    ///   - clock: The clock that measures when to try the shared store again. Tests can pass a clock of their own.
    /// - Throws: ``LoginServerError/invalidConfiguration``.
    public init(
        _ shared: any RateStore,
        serverCount: Int,
        own: (any RateStore)? = nil,
        clock: some Clock<Duration> = ContinuousClock()
    ) throws(LoginServerError) {
        try LoginServerError.check("the number of servers", serverCount, in: 1...1 << 16)
        self.shared = shared
        self.own = own ?? InMemoryRateStore(standardOn: clock)
        self.serverCount = serverCount
        self.clock = StoreClock(clock)
    }

    /// Whether the last attempt was counted in this process alone, because the shared store failed.
    public var isFallenBack: Bool { state.withLock { $0.retryAt != nil } }

    /// Counts an attempt for all keys, or for none.
    ///
    /// - Parameter charges: The keys, each of them once, with their limits.
    /// - Returns: Whether the attempt is allowed.
    /// - Throws: `CancellationError`, what the store of this process throws, and ``SharedStateError`` if the shared store fails and
    ///   one of the charges must be shared.
    public func charge(_ charges: [RateCharge]) async throws -> RateLimitResult {
        if let result = try await trying({ try await shared.charge(charges) }) { return result }
        guard !charges.contains(where: \.mustBeShared) else {
            throw SharedStateError(.disconnected, message: "attempts cannot be counted for all servers now")
        }
        return try await own.charge(
            charges.map { RateCharge($0.key, limit: $0.limit.divided(by: serverCount)) }
        )
    }

    /// Forgets the attempts of a key.
    ///
    /// - Parameter key: The key.
    /// - Throws: `CancellationError`, and what the store of this process throws.
    public func reset(_ key: StoreKey) async throws {
        try await own.reset(key)
        _ = try await trying { try await shared.reset(key) }
    }

    /// Returns `nil` if the shared store fails or is not tried now.
    private func trying<Value>(_ operation: () async throws -> Value) async throws -> Value? {
        guard mayTry() else { return nil }
        do {
            let value = try await operation()
            state.withLock { $0.retryAt = nil }
            return value
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // A client of another library may have an error of its own for a cancelled call.
            if Task.isCancelled { throw CancellationError() }
            // The shared store was not asked, so it has not failed.
            if error as? SharedStateError == SharedStateError(.budgetSpent) { return nil }
            let retryAt = clock.elapsed + Self.pause
            state.withLock { $0.retryAt = retryAt }
            return nil
        }
    }

    /// Returns whether to try the shared store. While it fails, others wait until the one that tries it knows.
    private func mayTry() -> Bool {
        let now = clock.elapsed
        return state.withLock { state in
            guard let retryAt = state.retryAt else { return true }
            guard now >= retryAt else { return false }
            state.retryAt = now + Self.pause
            return true
        }
    }
}

extension RateLimit {
    /// The part of one of several servers, at least one attempt in the same period.
    fileprivate func divided(by count: Int) -> RateLimit {
        RateLimit(unchecked: max(1, attempts / count), per: period)
    }
}
