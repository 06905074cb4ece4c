// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// Runs PBKDF2 on a thread of its own: it takes as long as the server wants, within the accepted number of iterations, and
/// cannot be interrupted. The caller stops waiting at its deadline or when its task is cancelled.
enum SCRAMComputation {
    static func run<Value: Sendable>(
        until deadline: ContinuousClock.Instant,
        _ body: @escaping @Sendable () throws(SCRAM.Error) -> Value
    ) async throws(ClientError) -> Value {
        try await DeadlineWatch.shared.run(until: deadline) { () async throws(ClientError) in
            // One thread for each: a server that asks for many iterations delays no login at another one.
            let thread = SerialThread()
            return try await thread.run(
                deadline: max(.zero, ContinuousClock.now.duration(to: deadline)),
                orThrow: Self.error(for:)
            ) { _ in
                do throws(SCRAM.Error) { return .success(try body()) } catch {
                    return .failure(ClientError(error))
                }
            }
        }
    }

    private static func error(for failure: CallFailure) -> ClientError {
        switch failure {
        case .cancelled: .cancelled
        case .timedOut: .timedOut("the login timed out while the password was being hashed for SCRAM")
        case .noThread: .outOfMemory
        }
    }
}
