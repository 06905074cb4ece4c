// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import NIOCore
import XCTest

@testable import CredKitServer
@testable import CredKitServerCommand

/// Scripts, users and errors of a real Redis server.
final class RedisClientTests: RedisTestCase {
    func testScriptsGetTheirKeysAndArgumentsAndReturnTheirValues() async throws {
        let server = try RedisServer()
        let client = try await started("redis://127.0.0.1:\(server.port)")
        let script = RedisScript(
            name: "values",
            text:
                "#!lua\nreturn {KEYS[1], KEYS[2], ARGV[1], 7, false, {}, redis.status_reply('fine'), {-1, ''}}"
        )
        let bytes = (0...255).map { UInt8($0) }
        let value = try await client.run(
            script,
            keys: ["{t}:a", "{t}:b"],
            arguments: [bytes],
            within: .seconds(20)
        )
        XCTAssertEqual(
            value,
            .array([
                .bytes(Array("{t}:a".utf8)), .bytes(Array("{t}:b".utf8)), .bytes(bytes), .integer(7), .null,
                .array([]), .bytes(Array("fine".utf8)), .array([.integer(-1), .bytes([])]),
            ])
        )
    }

    func testScriptIsSentAgainAfterTheServerForgotIt() async throws {
        let server = try RedisServer()
        let client = try await started("redis://127.0.0.1:\(server.port)", loops: 1)
        let count = RedisScript(name: "count", text: "#!lua\nreturn redis.call('INCR', KEYS[1])")
        func run() async throws -> RedisValue {
            try await client.run(count, keys: ["n"], arguments: [], within: .seconds(20))
        }
        for number in 1...3 {
            let (first, second) = (try await run(), try await run())
            XCTAssertEqual([first, second], [.integer(Int64(2 * number - 1)), .integer(Int64(2 * number))])
            try await server.send("SCRIPT", "FLUSH")
        }
        let calls = (try await server.calls(of: "eval"), try await server.calls(of: "evalsha"))
        XCTAssertEqual(calls.0, 3)
        XCTAssertEqual(calls.1, 6)
    }

    func testUnixSocketIsUsed() async throws {
        let server = try RedisServer(["port 0"])
        let client = try await started("unix://\(server.folder.path)/redis.sock")
        let answer = try await client.echo("a")
        XCTAssertEqual(answer, "a")
    }

    func testUsersLogInWithTheirPasswordsAndRights() async throws {
        let server = try RedisServer([
            "user default off", "user admin on nopass ~* +@all", "user app on >s3cret ~* +@all",
            "user weak on >s3cret ~* +info +ping", "user weaker on >s3cret ~* +ping",
        ])
        let url = "redis://127.0.0.1:\(server.port)"
        let client = try client(url, user: "app", password: "s3cret")
        try await client.start()
        let answer = try await client.echo("a")
        XCTAssertEqual(answer, "a")
        func attempt(_ user: String?, _ password: String?) async throws -> SharedStateError.Code? {
            let client = try self.client(url, user: user, password: password)
            return await errorCode {
                try await client.start()
                _ = try await client.echo("a")
            }
        }
        for (user, password, expected) in [
            ("app", "wrong", .loginFailed), ("none", "s3cret", .loginFailed), (nil, "s3cret", .loginFailed),
            (nil, nil, .loginFailed), ("weak", "s3cret", .notPermitted), ("weaker", "s3cret", .notPermitted),
        ] as [(String?, String?, SharedStateError.Code)] {
            let seen = try await attempt(user, password)
            XCTAssertEqual(seen, expected, "\(user ?? "-") \(password ?? "-")")
        }
    }

    func testPasswordOfTheDefaultUser() async throws {
        let server = try RedisServer(["requirepass s3cret"])
        let client = try client("redis://127.0.0.1:\(server.port)", password: "s3cret")
        try await client.start()
        // Without a password on the server, one that is given was meant for another server.
        let open = try RedisServer()
        let other = try self.client("redis://127.0.0.1:\(open.port)", password: "s3cret")
        let seen = await errorCode { try await other.start() }
        XCTAssertEqual(seen, .loginFailed)
    }

    func testPasswordIsCorrectedWithoutARestart() async throws {
        let server = try RedisServer(["requirepass other"])
        let client = try client("redis://127.0.0.1:\(server.port)", password: "s3cret")
        let seen = await errorCode { try await client.start() }
        XCTAssertEqual(seen, .loginFailed)
        let again = await errorCode { _ = try await client.echo("a") }
        XCTAssertEqual(again, .loginFailed)
        server.kill()
        let path = server.folder.appending(component: "redis.conf")
        let text = try String(contentsOf: path, encoding: .utf8)
        try Data(text.replacing("requirepass other", with: "requirepass s3cret").utf8).write(to: path)
        try server.start()
        let time = try await recovery(of: client)
        XCTAssertLessThan(time, .seconds(2))
    }

    func testErrorsOfTheServerHaveTheirMeaning() async throws {
        let server = try RedisServer()
        let client = try await started("redis://127.0.0.1:\(server.port)")
        func write(_ key: String = "k") async throws {
            _ = try await client.run(Self.write, keys: [key], arguments: [[1]], within: .seconds(20))
        }
        try await server.send("CONFIG", "SET", "maxmemory", "1")
        var seen = await errorCode { try await write() }
        XCTAssertEqual(seen, .outOfSpace)
        try await server.send("CONFIG", "SET", "maxmemory", "0")
        try await server.send("CONFIG", "SET", "min-replicas-to-write", "1")
        seen = await errorCode { try await write() }
        XCTAssertEqual(seen, .noReplicas)
        try await server.send("CONFIG", "SET", "min-replicas-to-write", "0")
        let broken = RedisScript(name: "broken", text: "#!lua\nreturn redis.call('LLEN', KEYS[1])")
        try await write("text")
        seen = await errorCode {
            _ = try await client.run(broken, keys: ["text"], arguments: [], within: .seconds(20))
        }
        XCTAssertEqual(seen, .wrongContent)
        let nested = RedisScript(name: "nested", text: "#!lua\nreturn {1, {err = 'ERR s3cret'}}")
        seen = await errorCode {
            _ = try await client.run(nested, keys: [], arguments: [], within: .seconds(20))
        }
        XCTAssertEqual(seen, .malformedAnswer)
        // None of them costs a connection: two of the client, and one for each command of the administrator.
        let connections = try await server.info("total_connections_received")
        XCTAssertEqual(connections, 2 + 4 + 1)
    }

    func testReplicaIsRefusedUntilItIsAPrimary() async throws {
        let server = try RedisServer()
        let client = try await started("redis://127.0.0.1:\(server.port)")
        try await server.send("REPLICAOF", "127.0.0.1", "1")
        let seen = await errorCode {
            _ = try await client.run(Self.write, keys: ["k"], arguments: [[1]], within: .seconds(20))
        }
        XCTAssertEqual(seen, .readOnly)
        let second = try self.client("redis://127.0.0.1:\(server.port)")
        let started = await errorCode { try await second.start() }
        XCTAssertEqual(started, .readOnly)
        try await server.send("REPLICAOF", "NO", "ONE")
        for client in [client, second] {
            let time = try await recovery(of: client)
            XCTAssertLessThan(time, .seconds(1))
        }
    }

    func testOtherMachinesNeedEncryption() async throws {
        let server = try RedisServer(["bind 0.0.0.0"])
        let addresses = try System.enumerateDevices().compactMap { $0.address?.ipAddress }
        guard let address = addresses.first(where: { !$0.hasPrefix("127.") && !$0.contains(":") }) else {
            throw XCTSkip("this machine has no other address")
        }
        let client = try client("redis://\(address):\(server.port)")
        let seen = await errorCode { try await client.start() }
        XCTAssertEqual(seen, .untrustedServer)
        let commands = try await server.info("total_commands_processed")
        XCTAssertEqual(commands, 0, "nothing is sent")
        let waived = try self.client("redis://\(address):\(server.port)", security: .unencrypted)
        try await waived.start()
    }
}
