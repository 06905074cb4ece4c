// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import Foundation
import HTTPTypes
import RequestLoad

/// Compares streaming a large file into a file through CurlTransport with the curl command. Each opens a new
/// connection. The time runs from before the connection until the last byte was written, without the start of the curl
/// process.
struct DownloadComparison {
    private static let byteCount = 256 << 20
    private static let rounds = 15

    private let server: WebServer
    private let folder: URL

    static func measure() throws -> [Outcome] {
        let server = try WebServer()
        // In a memory file system if there is one, because the speed of a disk varies.
        let memory = URL(fileURLWithPath: "/dev/shm")
        let base =
            FileManager.default.isWritableFile(atPath: memory.path)
            ? memory : FileManager.default.temporaryDirectory
        let folder = base.appendingPathComponent("credkit-bench-download-\(getpid())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        _ = try CommandRun(
            ["head", "-c", "\(byteCount)", "/dev/urandom"],
            output: server.files.appendingPathComponent("large").path
        ).run()
        let comparison = DownloadComparison(server: server, folder: folder)
        return try ["http", "https"].map { try comparison.measure($0) }
    }

    private func measure(_ scheme: String) throws -> Outcome {
        let url = (server.urls[scheme] ?? "") + "/large"
        let (ours, theirs) = ("CurlTransport", "the curl command")
        let paths = ["ours", "theirs"].map { folder.appendingPathComponent($0).path }
        _ = try download(url, to: paths[0])
        _ = try curl(url, to: paths[1])
        for path in paths {
            _ = try CommandRun(["cmp", path, server.files.appendingPathComponent("large").path]).run()
        }
        return try Comparison(
            id: "download-\(scheme)",
            title: "\(Self.byteCount >> 20) MiB over \(scheme) into a file",
            contenders: [
                Contender(name: ours, byteCount: Self.byteCount) { try download(url, to: paths[0]) },
                Contender(name: theirs, byteCount: Self.byteCount) { try curl(url, to: paths[1]) },
            ],
            claims: [
                .speed("download-\(scheme)", ours, theirs, atLeast: 0.95),
                .processorTime("download-\(scheme)-processor-time", ours, theirs, atMost: nil),
            ],
            rounds: Self.rounds
        ).measure()
    }

    private func curl(_ url: String, to path: String) throws -> Sample {
        let output = folder.appendingPathComponent("time").path
        let sample = try CommandRun(
            [
                "curl", "--silent", "--show-error", "--fail", "--http1.1", "--cacert", server.certificates,
                "--write-out", "%{time_total}", "--output", path, url,
            ],
            output: output
        ).run()
        let text = try String(contentsOfFile: output, encoding: .utf8)
        guard let seconds = Double(text) else {
            throw Failure(description: "curl answers with '\(text)', which is no time")
        }
        return Sample(seconds: seconds, processorSeconds: sample.processorSeconds)
    }

    private func download(_ url: String, to path: String) throws -> Sample {
        guard let parts = URL(string: url), let host = parts.host, let port = parts.port else {
            throw Failure(description: "\(url) is no URL")
        }
        let request = HTTPRequest(
            method: .get,
            scheme: parts.scheme,
            authority: "\(host):\(port)",
            path: parts.path
        )
        let certificates = server.certificates
        return try Blocking.run {
            let processor = RequestLoad.processorNanoseconds
            let start = ContinuousClock.now
            let transport = try CurlTransport(.init(connection: .trusting(certificates)))
            let deadline = start.advanced(by: .seconds(60))
            let response = try await transport.send(request, body: nil, deadline: deadline)
            guard response.head.status == .ok else { throw Failure(description: "no file is there") }
            let file = try FileOutput(path)
            for try await piece in response.body { try file.write(piece) }
            guard file.close() == Self.byteCount else { throw Failure(description: "the file was cut") }
            let time = start.duration(to: .now)
            return Sample(
                seconds: time / .seconds(1),
                processorSeconds: Double(RequestLoad.processorNanoseconds - processor) / 1e9
            )
        }
    }
}

/// A file that is written from its beginning.
private final class FileOutput {
    private let descriptor: Int32
    private var count = 0

    init(_ path: String) throws {
        descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw Failure(description: "\(path) cannot be written") }
    }

    func write(_ bytes: [UInt8]) throws {
        try bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let written = Glibc.write(
                    descriptor,
                    UnsafeRawBufferPointer(rebasing: rest).baseAddress,
                    rest.count
                )
                guard written > 0 else { throw Failure(description: "the file cannot be written") }
                rest = rest.dropFirst(written)
            }
        }
        count += bytes.count
    }

    /// The number of bytes written.
    func close() -> Int {
        Glibc.close(descriptor)
        return count
    }
}
