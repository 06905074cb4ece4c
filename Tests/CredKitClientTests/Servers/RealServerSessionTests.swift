// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitKeychain
import CredKitTesting
import Foundation
import XCTest

@testable import CredKitClient

/// Logins at servers with PHP's sessions and password_hash: one that logs users in, and one with the data.
final class RealServerSessionTests: RealServerTestCase {
    private static let data = Endpoint<WhoAmI>.get("/data")
    private var servers: [RealServer] = []

    override func setUpWithError() throws {
        try super.setUpWithError()
        try FileManager.default.createDirectory(atPath: folder + "/php", withIntermediateDirectories: false)
        for name in ["login", "data", "third"] {
            let own = folder + "/" + name
            try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: false)
            servers.append(try .php(root, in: own, program(own)))
        }
    }

    override func tearDown() {
        servers = []
        super.tearDown()
    }

    private func program(_ own: String) -> String {
        """
        session_start(['save_path' => '\(folder)/php', 'cookie_httponly' => true, 'use_strict_mode' => true]);
        $path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
        if ($path === '/login.php') {
            $hash = password_hash('zhang ü', PASSWORD_BCRYPT, ['cost' => 4]);
            $isRight = $_POST['username'] === 'alice' && password_verify($_POST['password'], $hash);
            session_regenerate_id(true);
            if ($isRight) { $_SESSION['user'] = 'alice'; }
            echo json_encode(['userId' => $isRight ? 1 : 0]);
            file_put_contents('\(own)/logins', 'x', FILE_APPEND);
        } elseif ($path === '/logout.php') {
            session_destroy();
        } else {
            $user = $_SESSION['user'] ?? null;
            session_write_close();
            file_put_contents('\(own)/count', 'x', FILE_APPEND);
            file_put_contents('\(own)/cookies', $_SERVER['HTTP_COOKIE'] ?? '', FILE_APPEND);
            if ($path === '/away') { header('Location: ' . $_GET['to'], true, 307); }
            while ($path === '/slow' && !file_exists('\(root)/go')) { usleep(1000); clearstatcache(); }
            if ($user === null) { http_response_code(401); }
            echo json_encode(['user' => $user]);
        }
        """
    }

    /// The number of requests for data that a server has received.
    private func count(_ name: String = "data") -> Int { max(0, size(folder + "/" + name + "/count")) }

    private func session() throws -> LoginSession {
        var profile = LoginProfile.form()
        profile.server = servers[0].url
        var configuration = LoginSession.Configuration()
        configuration.folder = folder + "/sessions"
        configuration.credentialOrigins = Set(try servers.prefix(2).map { try Origin($0.url) })
        return try LoginSession(
            server: servers[1].url,
            profile: profile,
            keychain: Keychain(store: InMemoryStore()),
            configuration: configuration
        )
    }

    func testLoginAtOneServerAndDataAtAnother() async throws {
        let session = try session()
        let wrong = await failure { try await session.logIn(username: "alice", password: "zhang") }
        XCTAssertEqual(wrong, .invalidCredentials)
        try await session.logIn(username: "alice", password: "zhang ü")
        let user = try await session.value(of: Self.data).user
        XCTAssertEqual(user, "alice")
        // The server forgets the session; the login is renewed.
        for name in try FileManager.default.contentsOfDirectory(atPath: folder + "/php") {
            try FileManager.default.removeItem(atPath: folder + "/php/" + name)
        }
        let renewed = try await session.value(of: Self.data).user
        XCTAssertEqual(renewed, "alice")
        XCTAssertEqual(count(), 3)
        try await session.logOut()
        let error = await failure { _ = try await session.value(of: Self.data) }
        XCTAssertEqual(error, .unexpectedStatus)
        XCTAssertEqual(count("login"), 0)
    }

    /// Cookies ignore ports, so that only the session's own list keeps them from the third server.
    func testThirdServerGetsNothing() async throws {
        let session = try session()
        try await session.logIn(username: "alice", password: "zhang ü")
        let third = servers[2].url
        for endpoint in [
            Endpoint<WhoAmI>.get("/away", query: ["to": third + "/data"]),
            Endpoint<WhoAmI>.get("/data").setting(\.server, to: third),
        ] {
            let error = await failure { _ = try await session.value(of: endpoint) }
            XCTAssertNotNil(error, "it knows no user")
        }
        XCTAssertEqual(count("third"), 2)
        XCTAssertEqual(size(folder + "/third/cookies"), 0)
        XCTAssertGreaterThan(size(folder + "/data/cookies"), 0)
    }

    func testExpiryMetByAHundredRequestsIsOneLogin() async throws {
        let session = try session()
        try await session.logIn(username: "alice", password: "zhang ü")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder + "/php") {
            try FileManager.default.removeItem(atPath: folder + "/php/" + name)
        }
        let users = try await withThrowingTaskGroup(of: String?.self) { group in
            for number in 0..<100 {
                group.addTask {
                    try await session.value(of: Endpoint<WhoAmI>.get("/data", query: ["n": "\(number)"])).user
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        XCTAssertEqual(users, [String?](repeating: "alice", count: 100))
        XCTAssertEqual(size(folder + "/login/logins"), 2)
    }

    func testRequestsToAnEndpointAreShared() async throws {
        let session = try session()
        try await session.logIn(username: "alice", password: "zhang ü")
        let calls = (0..<20).map { _ in
            Task.immediate { try await session.value(of: Endpoint<WhoAmI>.get("/slow")).user }
        }
        try Data().write(to: URL(fileURLWithPath: root + "/go"))
        for call in calls {
            let user = try await call.value
            XCTAssertEqual(user, "alice")
        }
        XCTAssertEqual(count(), 1)
    }
}
