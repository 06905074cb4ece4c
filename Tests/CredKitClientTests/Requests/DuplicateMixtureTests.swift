// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTestSupport
import CredKitTesting
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// A thousand callers with any policies at once, some of which are cancelled. All of them return, and nothing is left.
final class DuplicateMixtureTests: SessionTestCase {
    private static let policies: [DuplicatePolicy?] = [nil, .share, .replace, .ignore, .allow]
    private static let isDeep = TestForm.isDeep

    /// Lets the server answer in two pieces, each after a random number of other tasks.
    private func serve() {
        server.script("/data") { _ in
            for _ in 0..<Int.random(in: 0...20) { await Task.yield() }
            return .response(
                body: HTTPResponseBody {
                    var pieces = ["{\"user\": ", "\"alice\"}"][...]
                    return .init {
                        for _ in 0..<Int.random(in: 0...5) { await Task.yield() }
                        return pieces.popFirst().map { Array($0.utf8) }
                    }
                }
            )
        }
    }

    private struct Caller: Sendable {
        let policy = policies.randomElement() ?? nil
        let isCancelled = Int.random(in: 0..<4) == 0
        private let isReading = Int.random(in: 0..<8) > 0
        private let isStreaming = Int.random(in: 0..<3) == 0
        private let dropsBody = Bool.random()

        private var endpoint: Endpoint<WhoAmI> {
            let endpoint: Endpoint<WhoAmI> =
                isReading
                ? .get("/data", query: ["q": "\(Int.random(in: 0..<3))"]) : .post("/data", form: ["a": "1"])
            return endpoint.setting(\.duplicates, to: policy)
        }

        /// Returns whether there was a response; `nil` if it is wrong, or for an error that this caller must not get.
        func call(_ session: LoginSession) async -> Bool? {
            do {
                guard isStreaming else {
                    return try await session.value(of: endpoint).user == "alice" ? true : nil
                }
                return try await session.withResponse(to: endpoint) { _, body in
                    var text = ""
                    for try await piece in body {
                        text += String(decoding: piece, as: UTF8.self)
                        if dropsBody { return true }
                    }
                    return text == #"{"user": "alice"}"# ? true : nil
                }
            } catch {
                switch error {
                case .cancelled: return isCancelled || policy == .replace ? false : nil
                case .duplicateRequest: return policy == .ignore ? false : nil
                default: return nil
                }
            }
        }
    }

    func testAnyMixtureOfCallersEnds() async throws {
        let session = try await loggedIn()
        serve()
        for round in 0..<(Self.isDeep ? 50 : 2) {
            let calls = await withTaskGroup(of: (Caller, Task<Bool?, Never>).self) { group in
                for _ in 0..<1000 {
                    let caller = Caller()
                    group.addTask { (caller, Task { await caller.call(session) }) }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            for (caller, call) in calls where caller.isCancelled {
                call.cancel()
                if Bool.random() { await Task.yield() }
            }
            var answeredCount = 0
            for (caller, call) in calls {
                let isAnswered = await call.value
                XCTAssertNotNil(isAnswered, "round \(round), \(caller)")
                if isAnswered == true { answeredCount += 1 }
            }
            XCTAssertGreaterThan(answeredCount, 0)
            XCTAssertEqual(session.underWay.heldCount, 0, "round \(round)")
            XCTAssertEqual(session.underWay.sharedCount, 0, "round \(round)")
        }
    }
}
