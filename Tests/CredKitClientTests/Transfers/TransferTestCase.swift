// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitSystem
import CredKitTestSupport
import Foundation
import XCTest

@testable import CredKitClient

extension Endpoint<[UInt8]> {
    static var file: Self { .get("/file") }
}

/// Provides a folder, and sessions without a login.
class TransferTestCase: XCTestCase {
    private(set) var folder = ""
    var path: String { folder + "/target" }

    override func setUpWithError() throws {
        folder = try TemporaryFolder.make()
    }

    override func tearDown() { TemporaryFolder.remove(folder) }

    func session(
        _ url: String,
        transport: (any HTTPTransport)? = nil,
        _ change: (inout LoginSession.Configuration) -> Void = { _ in }
    ) throws -> LoginSession {
        var configuration = LoginSession.Configuration()
        change(&configuration)
        return try LoginSession(
            server: url,
            profile: .form(),
            keychain: nil,
            configuration: configuration,
            transport: transport
        )
    }

    /// The names of the files in the folder.
    var names: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    }

    func digest(_ path: String) throws -> String { try SHA256.hash(contentsOfFile: path).hex }

    func size(_ path: String) -> Int {
        (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? -1
    }
}
