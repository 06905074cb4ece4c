// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import XCTest

@testable import CredKitServer

final class SCRAMBindingTests: SCRAMTestCase {
    private static let binding = SCRAM.ChannelBinding(
        .serverEndPoint,
        value: [UInt8](repeating: 1, count: 32)
    )

    func testBoundLoginNeedsTheServersCertificate() async throws {
        for isRequired in [false, true] {
            let mechanism = try mechanism { $0.binding = .init([Self.binding], isRequired: isRequired) }
            XCTAssertEqual(mechanism.offered, isRequired ? [.sha256Plus] : [.sha256Plus, .sha256])
            let service = try service(mechanism)
            let bound = try await Self.begin(
                service,
                "one",
                binding: .bound(.serverEndPoint),
                value: Self.binding
            )
            let right = try await Self.finish(service, bound)
            XCTAssertEqual(right.decision, .accepted(user: "one"))
            let relay = SCRAM.ChannelBinding(.serverEndPoint, value: [UInt8](repeating: 2, count: 32))
            for user in ["one", "nemo"] {
                let relayed = try await Self.begin(
                    service,
                    user,
                    binding: .bound(.serverEndPoint),
                    value: relay
                )
                let outcome = try await Self.finish(service, relayed)
                XCTAssertEqual(outcome, LoginResult(.rejected, answer: "e=channel-bindings-dont-match"))
            }
        }
    }

    func testDowngradeIsRefused() async throws {
        let offering = try service(mechanism { $0.binding = .init([Self.binding]) })
        let requiring = try service(mechanism { $0.binding = .init([Self.binding], isRequired: true) })
        let without = try service()
        for (service, header, scram, isRight) in [
            (offering, "n", SCRAM.Mechanism.sha256, true), (offering, "y", .sha256, false),
            (offering, "p=tls-server-end-point", .sha256Plus, true),
            (offering, "p=tls-exporter", .sha256Plus, false),
            (offering, "n", .sha256Plus, false), (offering, "p=tls-server-end-point", .sha256, false),
            (requiring, "n", .sha256, false), (requiring, "y", .sha256, false),
            (requiring, "p=tls-server-end-point", .sha256Plus, true),
            (without, "n", .sha256, true), (without, "y", .sha256, true),
            (without, "p=tls-server-end-point", .sha256Plus, false),
        ] {
            for user in ["one", "nemo"] {
                let answer = try await service.beginSCRAM("\(header),,n=\(user),r=abc", as: scram, at: now)
                if isRight {
                    guard case .challenge = answer else {
                        XCTFail("\(header) \(scram)")
                        continue
                    }
                } else {
                    XCTAssertEqual(answer, .rejected(.channelBindingFailed), "\(header) \(scram)")
                }
            }
        }
    }

    /// The first message cannot be changed between client and server.
    func testChangedFlagIsDetected() async throws {
        let service = try service(mechanism { $0.binding = .init([Self.binding]) })
        let client = try SCRAM.Client(username: "one", binding: .notOffered)
        let changed = "n" + client.firstMessage.dropFirst()
        guard
            case .challenge(let sid, let message) = try await service.beginSCRAM(
                changed,
                as: .sha256,
                at: now
            )
        else { return XCTFail("no challenge") }
        let challenge = try client.challenge(from: message)
        let final = try client.finalMessage(
            for: challenge,
            keys: SCRAM.ClientKeys(password: Self.equivalent.hex, for: challenge)
        )
        let outcome = try await service.finishSCRAM(
            sid: sid,
            clientFinal: final.message,
            clientAddress: "home",
            at: now
        )
        XCTAssertEqual(outcome, LoginResult(.rejected, answer: "e=channel-bindings-dont-match"))
    }
}
