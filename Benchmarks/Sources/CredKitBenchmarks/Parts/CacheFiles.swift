// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitKeychain
import CredKitTesting
import Foundation
import HTTPTypes

/// A folder for sessions and the responses that they store.
final class CacheFiles {
    private let folder: URL
    private var count = 0

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("credkit-cache-\(getpid())")
        try FileManager.default.createDirectory(
            at: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    /// A session that is logged in: with a keychain of its own, or again with the same one and the same files.
    func session(
        transport: any HTTPTransport,
        server: String = "http://127.0.0.1:1",
        memory: MemorySize = .mebibytes(4),
        disk: MemorySize = .mebibytes(20),
        stages: Int = 0,
        _ keychain: Keychain? = nil
    ) throws -> LoginSession {
        if keychain == nil { count += 1 }
        var configuration = LoginSession.Configuration()
        configuration.folder = folder.appendingPathComponent("sessions-\(count)").path
        if stages == 0 {
            var cache = CacheConfiguration.standard
            (cache.memory, cache.disk) = (memory, disk)
            cache.folder = folder.appendingPathComponent("responses-\(count)").path
            configuration.cache = cache
        }
        configuration.interceptors.transport = (0..<stages).map { _ in PassingStage() }
        var challenge = LoginProfile.ChallengeSource()
        challenge.format = .opaque
        let session = try LoginSession(
            server: server,
            profile: .timestamped(keyPhrase: "itheima", challenge: challenge),
            keychain: keychain ?? Keychain(store: InMemoryStore()),
            configuration: configuration,
            transport: transport
        )
        try Blocking.run {
            guard try await !session.restore() else { return }
            try await session.logIn(username: "alice", password: "secret")
        }
        return session
    }

    /// The only file that the last session has stored besides known ones.
    func newFile(besides known: [BareFile]) throws -> BareFile {
        let parent = folder.appendingPathComponent("responses-\(count)")
        let accounts = try FileManager.default.contentsOfDirectory(
            at: parent,
            includingPropertiesForKeys: nil
        )
        let files = try accounts.flatMap {
            try FileManager.default.contentsOfDirectory(at: $0, includingPropertiesForKeys: nil)
        }
        let new = Set(files.map(\.path)).subtracting(known.map(\.path))
        guard let path = new.first, new.count == 1 else {
            throw Failure(description: "there are \(new.count) new stored responses instead of one")
        }
        return BareFile(path: path)
    }
}

/// A stage that passes everything on.
private struct PassingStage: RequestInterceptor {
    func intercept(
        _ request: HTTPRequest,
        body: HTTPRequestBody?,
        next: RequestChain
    ) async throws -> TransportResponse { try await next(request, body: body) }
}

/// A file that is read without anything else.
struct BareFile: Sendable {
    let path: String

    /// Lets the system read it from the disk the next time.
    func dropFromMemory() throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { close(descriptor) }
        guard descriptor >= 0, fsync(descriptor) == 0,
            posix_fadvise(descriptor, 0, 0, POSIX_FADV_DONTNEED) == 0
        else { throw Failure(description: "\(path) cannot be dropped from memory") }
    }

    func read() throws {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        var status = stat()
        guard descriptor >= 0, fstat(descriptor, &status) == 0 else {
            throw Failure(description: "\(path) cannot be opened")
        }
        defer { close(descriptor) }
        let size = Int(status.st_size)
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            initialized = max(0, Glibc.read(descriptor, buffer.baseAddress, size))
        }
        guard bytes.count == size else { throw Failure(description: "\(path) cannot be read") }
    }
}
