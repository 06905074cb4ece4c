// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import HTTPTypes

/// A group of requests that can be cancelled by code other than their callers, for example when a screen is
/// closed, or to replace earlier requests to the same endpoint.
///
/// ```swift
/// let group = CancellationGroup()
/// Task { students = try await session.value(of: .students(classID: 666), in: group) }
/// group.cancelAll(to: .students(classID: 1))       // earlier ones to that endpoint
/// group.cancelAll()
/// ```
///
/// A request without a group is cancelled with its calling task, as usual in Swift. A request in a group runs
/// in its own task, which costs a few microseconds.
public final class CancellationGroup: Sendable {
    private struct Request: Sendable {
        let endpointKey: String
        let work: CancellableWork
    }

    private struct State: Sendable {
        var next = 0
        var requests: [Int: Request] = [:]
    }

    private let state = Lock(State())

    /// Creates an empty group.
    public init() {}

    /// Cancels all pending requests. Requests that wait for a renewal stop waiting; the renewal continues.
    public func cancelAll() { cancel { _ in true } }

    /// Cancels all pending requests to one endpoint, regardless of their parameters.
    ///
    /// - Parameter endpoint: The endpoint. Only its method, server and path are compared.
    public func cancelAll<Value>(to endpoint: Endpoint<Value>) {
        let endpointKey = Self.endpointKey(endpoint)
        cancel { ASCIIText.areEqual($0, endpointKey) }
    }

    /// Runs a request as a task that the group can cancel.
    func run<Value: Sendable>(
        _ endpoint: Endpoint<some Sendable>,
        _ operation: @escaping @Sendable () async throws(ClientError) -> Value
    ) async throws(ClientError) -> Value {
        let request = Request(endpointKey: Self.endpointKey(endpoint), work: CancellableWork())
        // Registered before it begins, so that a call that cancels all requests includes it.
        let number = state.withLock { state in
            state.next &+= 1
            state.requests[state.next] = request
            return state.next
        }
        defer { state.withLock { _ = $0.requests.removeValue(forKey: number) } }
        return try await request.work.run(operation)
    }

    private func cancel(_ isMeant: (String) -> Bool) {
        let requests = state.withLock { Array($0.requests.values) }
        for request in requests where isMeant(request.endpointKey) { request.work.cancel() }
    }

    private static func endpointKey<Value>(_ endpoint: Endpoint<Value>) -> String {
        "\(endpoint.method.rawValue) \(endpoint.server ?? "")\(endpoint.path)"
    }
}
