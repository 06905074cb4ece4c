// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitClient
import CredKitKeychain
import Foundation

/// Tasks that share a session whose login expires again and again: requests, stored responses, downloads, and sessions that are
/// restored beside it.
struct SessionSoak {
    private static let taskCount = 8
    /// As many as the server has of `/stored-0`, `/stored-1`, …: 2 MiB, twice what the cache keeps in memory and on disk.
    private static let storedCount = 64
    private static let downloadEvery = 16
    private static let restoreEvery = 100

    let server: String
    let folder: String
    let tally: Soak.Tally

    func run() async throws {
        let session = try makeSession()
        try await session.logIn(username: "user0", password: "password of user0")
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<Self.taskCount {
                group.addTask {
                    await Soak.repeating(pause: .milliseconds(10), tally) {
                        try await step($0, of: task, session)
                    }
                }
            }
        }
        try await session.flush()
    }

    private func makeSession() throws -> LoginSession {
        var vault = VaultConfiguration()
        vault.path = folder + "/vault"
        vault.stateDirectory = folder + "/vault.state"
        vault.keySources = [.keyFile(folder + "/key")]
        var cache = CacheConfiguration.standard
        (cache.memory, cache.disk) = (.mebibytes(1), .mebibytes(1))
        cache.folder = folder + "/responses"
        var configuration = LoginSession.Configuration()
        configuration.folder = folder + "/sessions"
        configuration.cache = cache
        return try LoginSession(
            server: server,
            profile: .timestamped(keyPhrase: "itheima"),
            keychain: Keychain(store: VaultStore(vault)),
            configuration: configuration
        )
    }

    private func step(_ number: Int, of task: Int, _ session: LoginSession) async throws {
        if number % Self.downloadEvery == task {
            let file = try await session.download(
                Endpoint<[UInt8]>.get("/large"),
                to: "\(folder)/large-\(task)"
            )
            try await count("download", isWhole: file.byteCount == 4 << 20)
        } else if number % Self.restoreEvery == Self.restoreEvery - 1 {
            let other = try makeSession()
            guard try await other.restore() else { throw Failure(description: "the session is not saved") }
            try await count("restored", isWhole: try await other.value(of: .small) == SessionSoak.small)
        } else if number.isMultiple(of: 2) {
            try await count("request", isWhole: try await session.value(of: .small) == SessionSoak.small)
        } else {
            // Sizes are of the files that the server has.
            let file = (number * 7 + task) % Self.storedCount
            let response = try await session.send(Endpoint<[UInt8]>.get("/stored-\(file)"))
            try await count("\(response.cacheUse)", isWhole: response.value.count == (file + 1) << 10)
        }
    }

    private func count(_ name: String, isWhole: Bool) async throws {
        guard isWhole else { throw Failure(description: "a response is not whole: \(name)") }
        await tally.add(name)
    }

    fileprivate static let small = Array("small".utf8)
}

extension Endpoint<[UInt8]> {
    fileprivate static var small: Self { .get("/small") }
}
