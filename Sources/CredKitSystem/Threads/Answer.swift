// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The first answer that is given, handed on once.
final class Answer<Value: Sendable, Failure: Error>: Sendable {
    private struct State {
        var result: Result<Value, Failure>?
        var receiver: (@Sendable (Result<Value, Failure>) -> Void)?
    }

    private let state = Lock(State())

    func give(_ result: Result<Value, Failure>) {
        let receiver: (@Sendable (Result<Value, Failure>) -> Void)? = state.withLock { state in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.receiver = nil }
            return state.receiver
        }
        receiver?(result)
    }

    func onGiven(_ receiver: @escaping @Sendable (Result<Value, Failure>) -> Void) {
        let result: Result<Value, Failure>? = state.withLock { state in
            if state.result == nil { state.receiver = receiver }
            return state.result
        }
        if let result { receiver(result) }
    }
}
