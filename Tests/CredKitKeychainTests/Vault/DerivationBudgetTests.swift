// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import XCTest

@testable import CredKitKeychain

/// The end of key derivations for which the caller no longer waits.
final class DerivationBudgetTests: XCTestCase {
    /// A call that takes hours, for which no test waits.
    private final class Call: Sendable {
        let begun = XCTestExpectation(description: "the derivation begins")
        let ended = XCTestExpectation(description: "the derivation ends")
        let hasBegun = Lock(false)
        let outcome = Lock<KeychainError?>(nil)
        private let secret: SecretBytes
        private let thread = SerialThread()

        init() throws { secret = try SecretBytes([1, 2, 3]) }

        /// Returns the error that the caller gets.
        func run(deadline: Duration) async -> KeychainError? {
            do throws(KeychainError) {
                _ = try await thread.run(
                    deadline: deadline,
                    orThrow: { KeychainError($0) },
                    { [self] token -> Result<SecretBytes, KeychainError> in derive(token) }
                )
                return nil
            } catch {
                return error
            }
        }

        private func derive(_ token: CancellationToken) -> Result<SecretBytes, KeychainError> {
            hasBegun.withLock { $0 = true }
            begun.fulfill()
            let result = Result { () throws(KeychainError) in
                try DerivationBudget(nil, token).run { (interruption) throws(KeyDerivationError) in
                    try Argon2.deriveKey(
                        from: secret,
                        salt: [UInt8](repeating: 7, count: 16),
                        memory: .mebibytes(64),
                        passes: 1_000_000,
                        interruption: interruption
                    )
                }
            }
            if case .failure(let error) = result { outcome.withLock { $0 = error } }
            ended.fulfill()
            return result
        }
    }

    func testTheDeadlineEndsAKeyDerivation() async throws {
        for seconds in [1, 10, 100] {
            let call = try Call()
            let error = await call.run(deadline: .seconds(seconds))
            XCTAssertEqual(error, .timedOut)
            // On a busy machine the thread may begin too late, and then derives nothing.
            guard call.hasBegun.withLock({ $0 }) else { continue }
            await fulfillment(of: [call.ended], timeout: 300)
            XCTAssertEqual(call.outcome.withLock { $0 }, .timedOut)
            return
        }
        XCTFail("no derivation began")
    }

    func testCancellationEndsAKeyDerivation() async throws {
        let call = try Call()
        let task = Task { await call.run(deadline: .seconds(100_000)) }
        await fulfillment(of: [call.begun], timeout: 300)
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error, .cancelled)
        await fulfillment(of: [call.ended], timeout: 300)
        XCTAssertEqual(call.outcome.withLock { $0 }, .cancelled)
    }
}
