// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Provides a folder that servers serve, and sessions with a cache and a clock of their own.
class RealServerTestCase: TransferTestCase {
    /// The seconds by which the sessions' clock is ahead.
    let elapsed = Lock<Int64>(0)
    var root: String { folder + "/root" }

    override func setUpWithError() throws {
        try super.setUpWithError()
        // Servers drop root's privileges.
        try FileManager.default.setAttributes([.posixPermissions: 0o1777], ofItemAtPath: folder)
        for path in [root, root + "/limited"] {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
            try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: path)
        }
    }

    func caching(_ server: RealServer, _ change: (inout CacheConfiguration) -> Void = { _ in }) throws
        -> LoginSession
    {
        try session(server.url) {
            var cache = CacheConfiguration.standard
            change(&cache)
            $0.cache = cache
            $0.now = { [elapsed] in .now + .seconds(elapsed.withLock { $0 }) }
        }
    }

    /// Writes a file to serve, which was modified some seconds ago.
    func serve(_ bytes: [UInt8], age: Int = 3600) throws {
        let path = root + "/file"
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        let date = Date(timeIntervalSinceNow: -Double(age))
        try FileManager.default.setAttributes(
            [.modificationDate: date, .posixPermissions: 0o666],
            ofItemAtPath: path
        )
    }

    /// Runs a body with each server, and starts the clock anew.
    func withEach(
        _ servers: KeyValuePairs<String, () throws -> RealServer>,
        _ body: (String, RealServer) async throws -> Void
    ) async throws {
        for (name, start) in servers {
            elapsed.withLock { $0 = 0 }
            for path in names where path.hasPrefix("target") {
                try FileManager.default.removeItem(atPath: folder + "/" + path)
            }
            try await body(name, try start())
        }
    }

    /// The head of a request for the file.
    func head(
        _ method: HTTPRequest.Method,
        _ url: String,
        _ fields: HTTPFields = [:]
    ) throws -> HTTPRequest {
        let components = try XCTUnwrap(URLComponents(string: url))
        let port = try XCTUnwrap(components.port)
        return HTTPRequest(
            method: method,
            scheme: "http",
            authority: "127.0.0.1:\(port)",
            path: "/file",
            headerFields: fields
        )
    }
}
