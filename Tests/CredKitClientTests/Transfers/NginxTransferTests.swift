// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import HTTPTypes
import XCTest

@testable import CredKitClient

/// Downloads from nginx, and uploads to it, over a Unix socket.
final class NginxTransferTests: TransferTestCase {
    private var nginx: Process!
    private var socket: String { folder + "/socket" }
    private var root: String { folder + "/root" }

    override func setUpWithError() throws {
        try super.setUpWithError()
        try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: false)
        // nginx's worker is another user if the tests run as root.
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
        try FileManager.default.setAttributes([.posixPermissions: 0o777], ofItemAtPath: root)
        try """
        daemon off; worker_processes 1; pid \(folder)/pid; error_log \(folder)/log;
        events { worker_connections 64; }
        http {
            access_log off; client_max_body_size 0; client_body_temp_path \(root)/temporary;
            proxy_temp_path \(folder)/1; fastcgi_temp_path \(folder)/2; uwsgi_temp_path \(folder)/3;
            scgi_temp_path \(folder)/4;
            server {
                listen unix:\(socket); root \(root);
                location / { dav_methods PUT; }
                location /slow/ { alias \(root)/; limit_rate 4m; limit_rate_after 1m; }
            }
        }
        """.write(toFile: folder + "/configuration", atomically: false, encoding: .utf8)
        nginx = Process()
        nginx.executableURL = URL(fileURLWithPath: "/usr/sbin/nginx")
        nginx.arguments = ["-c", folder + "/configuration", "-e", folder + "/log"]
        try nginx.run()
        while !FileManager.default.fileExists(atPath: folder + "/pid"), nginx.isRunning { usleep(1000) }
    }

    override func tearDown() {
        nginx.terminate()
        nginx.waitForExit()
        super.tearDown()
    }

    private func session() throws -> LoginSession {
        try session("http://localhost") { $0.connection.unixSocketPath = socket }
    }

    private func write(_ byteCount: Int) throws -> String {
        let path = root + "/file"
        var bytes = Data((0..<byteCount).map { UInt8(truncatingIfNeeded: $0 >> 16 ^ $0 >> 8 ^ $0) })
        bytes[0] = .random(in: .min ... .max)
        try bytes.write(to: URL(fileURLWithPath: path))
        return path
    }

    /// Begins a download, and cancels it when some of the file is there.
    private func cancelDownload(_ session: LoginSession) async throws {
        let path = path
        let task = Task { @Sendable in await NginxTransferTests.download(session, to: path) }
        while size(path + ".credkit-part") < 1 << 20 { try await Task.sleep(for: .milliseconds(1)) }
        task.cancel()
        let error = await task.value
        XCTAssertEqual(error, .cancelled)
        XCTAssertEqual(
            names.filter { $0.hasPrefix("target") },
            ["target.credkit-note", "target.credkit-part"]
        )
    }

    private static func download(_ session: LoginSession, to path: String) async -> ClientError? {
        await failure { try await session.download(file, to: path, options: .resume) }
    }

    private static let file = Endpoint<[UInt8]>.get("/slow/file")

    func testDownloadIsCancelledAndContinued() async throws {
        let source = try write(4 << 20)
        let session = try session()
        try await cancelDownload(session)
        let file = try await session.download(Self.file, to: path, options: .resume)
        XCTAssertGreaterThanOrEqual(file.resumedByteCount, 1 << 20)
        XCTAssertEqual(try digest(path), try digest(source))
        // What another URL has left is not used.
        try FileManager.default.removeItem(atPath: path)
        try await cancelDownload(session)
        let other = try await session.download(Endpoint<[UInt8]>.get("/file"), to: path, options: .resume)
        XCTAssertEqual(other.resumedByteCount, 0)
        XCTAssertEqual(names.filter { $0.hasPrefix("target") }, ["target"])
    }

    func testChangedFileIsFetchedAnew() async throws {
        _ = try write(4 << 20)
        let session = try session()
        try await cancelDownload(session)
        let source = try write(3 << 20)
        let file = try await session.download(Self.file, to: path, options: .resume)
        XCTAssertEqual(file.resumedByteCount, 0)
        XCTAssertEqual(try digest(path), try digest(source))
    }

    func testUpload() async throws {
        let source = folder + "/source"
        try Data((0..<(8 << 20)).map { UInt8(truncatingIfNeeded: $0 >> 16 ^ $0) }).write(
            to: URL(fileURLWithPath: source)
        )
        try await session().send(Endpoint<Void>(.put, "/uploaded", payload: .file(source))).value
        XCTAssertEqual(try digest(root + "/uploaded"), try digest(source))
    }
}
