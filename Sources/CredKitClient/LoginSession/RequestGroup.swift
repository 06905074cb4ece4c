// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import HTTPTypes

/// Requests that others than their callers can cancel: those of a screen that has gone, or earlier ones of the same
/// interface.
///
/// ```swift
/// let group = RequestGroup()
/// Task { students = try await session.send(.students(classID: 666), in: group).body }
/// group.cancelAll(to: .students(classID: 1))       // earlier ones of that interface
/// group.cancelAll()
/// ```
///
/// A request that is in no group is cancelled with the task that waits for it, as everything is in Swift. One in a group runs
/// in a task of its own, which costs some microseconds.
public final class RequestGroup: Sendable {
    private struct Request: Sendable {
        let interface: String
        /// `nil` until it has begun.
        var cancel: (@Sendable () -> Void)?
        /// Set by whoever cancels it before it has begun.
        var isCancelled = false
    }

    private struct State: Sendable {
        var next = 0
        var requests: [Int: Request] = [:]
    }

    private let state = Lock(State())

    /// A group without requests.
    public init() {}

    /// Cancels all requests that are under way. Those that wait for a renewal stop waiting; the renewal goes on.
    public func cancelAll() { cancel { _ in true } }

    /// Cancels all requests that are under way to one interface, whatever their parameters.
    ///
    /// - Parameter endpoint: The interface: what counts are its method and its path.
    public func cancelAll<Body>(to endpoint: Endpoint<Body>) {
        let interface = Self.interface(endpoint)
        cancel { $0 == interface }
    }

    /// Runs a request as a task that can be cancelled from here.
    func run<Body, Value: Sendable>(
        _ endpoint: Endpoint<Body>,
        _ operation: @escaping @Sendable () async throws(LoginError) -> Value
    ) async throws(LoginError) -> Value {
        // Before it begins, so that nobody who cancels all requests can miss it.
        let number = state.withLock { state in
            state.next &+= 1
            state.requests[state.next] = Request(interface: Self.interface(endpoint))
            return state.next
        }
        defer { state.withLock { _ = $0.requests.removeValue(forKey: number) } }
        let task = Task.immediate { () async -> Result<Value, LoginError> in
            do throws(LoginError) { return .success(try await operation()) } catch { return .failure(error) }
        }
        let isCancelled = state.withLock { state in
            state.requests[number]?.cancel = { task.cancel() }
            return state.requests[number]?.isCancelled ?? false
        }
        if isCancelled { task.cancel() }
        let result = await withTaskCancellationHandler {
            await task.value
        } onCancel: {
            task.cancel()
        }
        return try result.get()
    }

    private func cancel(_ isMeant: (String) -> Bool) {
        let cancels = state.withLock { state -> [@Sendable () -> Void] in
            var cancels: [@Sendable () -> Void] = []
            for (number, request) in state.requests where isMeant(request.interface) {
                state.requests[number]?.isCancelled = true
                if let cancel = request.cancel { cancels.append(cancel) }
            }
            return cancels
        }
        for cancel in cancels { cancel() }
    }

    private static func interface<Body>(_ endpoint: Endpoint<Body>) -> String {
        "\(endpoint.method.rawValue) \(endpoint.path)"
    }
}
