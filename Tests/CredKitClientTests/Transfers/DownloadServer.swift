// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Runs download_server.py. It ends with this object.
final class DownloadServer: @unchecked Sendable {
    private let peer: Peer
    let url: String

    init() throws {
        peer = try Peer("download_server.py")
        url = "http://127.0.0.1:\(String(decoding: peer.start, as: UTF8.self))"
    }

    private func ask(_ path: String, _ body: String? = nil) async throws -> [UInt8] {
        let runner = RequestRunner(transport: CurlTransport.shared, rules: .init(credentialOrigins: []))
        let request = OutgoingRequest(
            method: body == nil ? .get : .put,
            url: try HTTPURL(url + path),
            body: body.map { HTTPRequestBody(Array($0.utf8)) }
        )
        return try await runner.run(request).body
    }

    /// Sets how the next requests are answered: see download_server.py.
    func plan(_ steps: String...) async throws {
        _ = try await ask("/plan", "[" + steps.joined(separator: ",") + "]")
    }

    func plan(_ steps: [String]) async throws {
        _ = try await ask("/plan", "[" + steps.joined(separator: ",") + "]")
    }

    /// Returns Range and If-Range of the requests for the file since the last call.
    func seen() async throws -> [[String?]] {
        try JSONDecoder().decode([[String?]].self, from: Data(try await ask("/seen")))
    }

    /// Returns the SHA-256 of the file, in hex.
    func digest() async throws -> String { String(decoding: try await ask("/digest"), as: UTF8.self) }
}
