// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTesting
import HTTPTypes
import XCTest

@testable import CredKitClient

extension ClientError.Code {
    fileprivate static let circuitOpen = Self(rawValue: "circuitOpen")
}

private struct ForeignError: Error, CustomStringConvertible {
    var description: String { "https://a.example/?token=secret" }
}

/// A transport that throws an error, or whose body does.
private struct FailingTransport: HTTPTransport {
    var error: any Error
    var failsInBody = false

    func send(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        deadline: ContinuousClock.Instant
    ) async throws -> TransportResponse {
        if case .stream(let stream, _) = body?.content { for try await _ in stream {} }
        guard failsInBody else { throw error }
        return TransportResponse(head: .init(status: .ok), body: HTTPResponseBody { .init { throw error } })
    }
}

final class ClientErrorTests: XCTestCase {
    private func send(
        _ transport: any HTTPTransport,
        _ endpoint: Endpoint<[UInt8]> = .get("/x")
    ) async throws(ClientError) -> [UInt8] {
        let session = try LoginSession(
            server: "https://a.example",
            profile: .form(),
            keychain: nil,
            transport: transport
        )
        return try await session.value(of: endpoint)
    }

    func testErrorsAreCaughtByValueAndByCode() {
        let error = ClientError(.invalidCredentials, message: "no", statusCode: 401)
        do throws(ClientError) {
            throw error
        } catch .timedOut {
            XCTFail("another code")
        } catch .invalidCredentials {
            XCTAssertEqual(error.statusCode, 401)
        } catch {
            XCTFail("\(error)")
        }
        do throws(ClientError) {
            throw error
        } catch  where error.code == .invalidCredentials {
            XCTAssertEqual(error.message, "no")
        } catch {
            XCTFail("\(error)")
        }
        XCTAssertEqual(error, .invalidCredentials)
        XCTAssertNotEqual(error, .timedOut)
        XCTAssertEqual(ClientError(.circuitOpen, message: ""), ClientError(.circuitOpen, message: "open"))
        XCTAssertEqual("\(ClientError.Code.circuitOpen)", "circuitOpen")
    }

    func testLegacyCodesFollowFromTheCode() {
        XCTAssertEqual(ClientError(.noConnection, message: "").legacyCode, -10)
        XCTAssertEqual(ClientError(.noResponse, message: "").legacyCode, -11)
        XCTAssertEqual(ClientError.timedOut.legacyCode, -11)
        XCTAssertNil(ClientError(.serverError, message: "", serverCode: 405).legacyCode)
    }

    func testServerMessageIsEscapedInTheDescriptionOnly() {
        let text = "a\u{1B}[2Jb\u{202E}" + String(repeating: "x", count: 1000)
        let error = ClientError(.serverError, message: "refused", serverMessage: text)
        XCTAssertEqual(error.serverMessage, text)
        XCTAssertEqual(error.message, "refused")
        XCTAssertTrue(error.description.hasPrefix("refused: a [2Jb "), error.description)
        XCTAssertFalse(error.description.unicodeScalars.contains { $0.value < 32 || $0.value == 0x202E })
        XCTAssertLessThan(error.description.count, 220)
        XCTAssertFalse(String(reflecting: error).unicodeScalars.contains { $0.value < 32 })
    }

    func testKeychainErrorIsTheUnderlyingOne() {
        let error = ClientError.keychain(.locked)
        XCTAssertEqual(error.keychainError, .locked)
        XCTAssertEqual(error.underlying as? KeychainError, .locked)
        XCTAssertNil(ClientError(.keychain, message: "", underlying: ForeignError()).keychainError)
        XCTAssertEqual(ClientError.keychain(.cancelled), .cancelled)
    }

    func testForeignErrorsOfTransportsAreWrapped() async {
        for failsInBody in [false, true] {
            let foreign = await assertThrows(.transport) {
                try await self.send(FailingTransport(error: ForeignError(), failsInBody: failsInBody))
            }
            XCTAssertTrue(foreign?.underlying is ForeignError)
            XCTAssertFalse("\(foreign as Any)".contains("secret"), "\(foreign as Any)")
            XCTAssertTrue(foreign?.message.contains("ForeignError") ?? false)
            let own = ClientError(.circuitOpen, message: "try later", retryAfter: .seconds(7))
            let unchanged = await assertThrows(own) {
                try await self.send(FailingTransport(error: own, failsInBody: failsInBody))
            }
            XCTAssertEqual(unchanged?.retryAfter, .seconds(7))
            await assertThrows(.cancelled) {
                try await self.send(FailingTransport(error: CancellationError(), failsInBody: failsInBody))
            }
        }
    }

    func testErrorsOfTheProgramsOwnStreamAreWrapped() async {
        let stream = HTTPResponseBody { .init { throw ForeignError() } }
        for transport in [FailingTransport(error: ForeignError()), ScriptedTransport([.json("{}")])]
            as [any HTTPTransport]
        {
            let error = await assertThrows(.requestBody) {
                try await self.send(
                    transport,
                    Endpoint(.put, "/x", payload: .body(HTTPRequestBody(streaming: stream)))
                )
            }
            XCTAssertTrue(error?.underlying is ForeignError)
        }
    }
}
