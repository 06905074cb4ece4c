// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Servers that stop responding in each phase of a request.
final class HangingPeerTests: XCTestCase {
    private static let behaviours = [
        "hang-before-accepting", "hang-before-tls", "hang-before-answer", "hang-in-status-line",
        "hang-in-head",
        "hang-in-body", "hang-in-chunk", "hang-in-upload",
    ]

    private var server: FaultyPeer!

    override func setUpWithError() throws { server = try FaultyPeer("faulty_server.py") }

    override func tearDown() { server = nil }

    private func request(_ behaviour: String, overTLS: Bool) throws -> OutgoingRequest {
        let isUpload = behaviour == "hang-in-upload"
        return OutgoingRequest(
            method: isUpload ? .put : .get,
            url: try server.url(of: behaviour, overTLS: overTLS),
            body: isUpload ? HTTPRequestBody([UInt8](repeating: 7, count: 64 << 20)) : nil
        )
    }

    /// All hanging requests end at the idle timeout, and do not delay another request.
    func testSilenceInEachPhaseEndsWithATimeout() async throws {
        let transport = try server.transport(timeout: .milliseconds(700))
        let runner = RequestRunner(
            transport: transport,
            rules: .init(credentialOrigins: []),
            total: .seconds(60)
        )
        try await withThrowingTaskGroup(of: (String, ClientError?).self) { group in
            for behaviour in Self.behaviours {
                for overTLS in [false, true] where overTLS || behaviour != "hang-before-tls" {
                    let request = try request(behaviour, overTLS: overTLS)
                    group.addTask {
                        let name = "\(behaviour) \(overTLS)"
                        return (name, await loginError(of: name) { try await runner.run(request) })
                    }
                }
            }
            for try await (name, error) in group {
                XCTAssertEqual(error, .timedOut, "\(name): \(error as Any)")
            }
        }
    }

    func testTheTotalDeadlineEndsEachPhase() async throws {
        let runner = try server.runner(total: .milliseconds(500))
        try await withThrowingTaskGroup(of: (String, ClientError?).self) { group in
            for behaviour in Self.behaviours {
                for overTLS in [false, true] where overTLS || behaviour != "hang-before-tls" {
                    let request = try request(behaviour, overTLS: overTLS)
                    group.addTask {
                        let name = "\(behaviour) \(overTLS)"
                        return (name, await loginError(of: name) { try await runner.run(request) })
                    }
                }
            }
            for try await (name, error) in group {
                XCTAssertEqual(error, .timedOut, "\(name): \(error as Any)")
            }
        }
    }

    /// Hanging requests are cancelled in each phase, while requests to a responsive server continue.
    func testCancellationEndsEachPhaseWithoutDelayingOthers() async throws {
        let runner = try server.runner()
        var tasks: [(String, Task<ClientError?, Never>)] = []
        for behaviour in Self.behaviours {
            for overTLS in [false, true] where overTLS || behaviour != "hang-before-tls" {
                let request = try request(behaviour, overTLS: overTLS)
                let name = "\(behaviour) \(overTLS)"
                tasks.append((name, Task { await loginError(of: name) { try await runner.run(request) } }))
            }
        }
        for overTLS in [false, true] {
            for _ in 0..<20 {
                let answer = try await runner.run(try request("good", overTLS: overTLS))
                XCTAssertEqual(answer.body, Array("ok".utf8))
            }
        }
        for (name, task) in tasks {
            task.cancel()
            let error = await task.value
            XCTAssertEqual(error, .cancelled, name)
        }
    }
}
