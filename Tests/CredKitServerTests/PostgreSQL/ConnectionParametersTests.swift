// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer
import Foundation
import XCTest

@testable import CredKitPostgreSQL

/// Which servers must prove their names, by the connection string and the variables of libpq.
final class ConnectionParametersTests: XCTestCase {
    private enum Trust: Equatable {
        /// The server needs a certificate for its name.
        case verified
        /// The server needs none.
        case local
        case refused
    }

    private func trust(
        _ text: String,
        _ environment: [String: String] = [:],
        _ verification: PostgreSQLSettings.ServerVerification = .required
    ) throws -> Trust {
        try withEnvironment(environment) {
            var settings = PostgreSQLSettings(text)
            settings.serverVerification = verification
            try PQLibrary.load()
            do {
                let parameters = try ConnectionParameters(settings)
                guard parameters.verifier != nil else { return .local }
                let values = Dictionary(uniqueKeysWithValues: parameters.values.map { ($0.name, $0.value) })
                XCTAssertEqual(values["sslmode"], "verify-full", text)
                XCTAssertEqual(values["gssencmode"], "disable", text)
                XCTAssertNotNil(values["sslrootcert"], text)
                return .verified
            } catch let error as SharedStateError {
                XCTAssertEqual(error, SharedStateError(.unsafeSettings), "\(text): \(error)")
                return .refused
            }
        }
    }

    func testHostsThatAreNotOfThisMachineAreVerified() throws {
        let table: [(String, Trust)] = [
            // The default is a Unix socket.
            ("", .local), ("dbname=a", .local), ("host=", .local), ("host=''", .local),
            ("host=/run/postgresql", .local), ("host=@name", .local), ("postgresql:///a", .local),
            ("postgresql://%2Frun%2Fpostgresql/a", .local), ("postgresql:///a?host=/run", .local),
            ("host=localhost", .local), ("host=127.0.0.1", .local), ("host=::1", .local),
            ("postgresql://[::1]:5432/a", .local), ("host=/run,localhost", .local),
            ("host=a hostaddr=::1", .local),
            ("host=db.example", .verified), ("host=127.0.0.2", .verified), ("host=localhost.", .verified),
            ("host=localhost.example", .verified), ("host=run", .verified), ("hostaddr=192.0.2.1", .verified),
            ("host=localhost hostaddr=192.0.2.1", .verified), ("host=/run hostaddr=192.0.2.1", .verified),
            ("host=localhost,db.example", .verified), ("host=db.example,localhost", .verified),
            ("host=,db.example", .verified), ("host=a,b hostaddr=::1,192.0.2.1", .verified),
            // Where a list has no address, its host counts.
            ("host=localhost,db.example hostaddr=127.0.0.1,", .verified),
            ("host=db.example,localhost hostaddr=,127.0.0.1", .verified),
            ("host=db.example,localhost hostaddr=127.0.0.1,", .local),
            ("postgresql://db.example/a", .verified),
            ("postgres://user@db.example:1,localhost:2/a", .verified),
            ("postgresql:///a?host=db.example", .verified),
            ("postgresql://localhost/a?host=db.example", .verified),
            ("postgresql://localhost/a?hostaddr=192.0.2.1", .verified),
            ("postgresql:///a?%68ost=db.example", .verified),
            ("postgresql://%64b.example/a", .verified), ("postgresql://localhost%2cdb.example/a", .verified),
            // A file decides what a service is.
            ("service=any", .verified), ("service=any host=localhost", .verified),
        ]
        for (text, expected) in table { XCTAssertEqual(try trust(text), expected, text) }
    }

    func testWeakModesAreRefusedUnlessTheyArePermitted() throws {
        for mode in ["disable", "allow", "prefer", "require", "verify-ca"] {
            let remote = "host=db.example sslmode=\(mode)"
            XCTAssertEqual(try trust(remote), .refused, mode)
            XCTAssertEqual(try trust("postgresql://db.example/a?sslmode=\(mode)"), .refused, mode)
            XCTAssertEqual(try trust("postgresql://db.example/a?%73slmode=\(mode)"), .refused, mode)
            XCTAssertEqual(try trust("service=any sslmode=\(mode)"), .refused, mode)
            XCTAssertEqual(try trust("host=localhost sslmode=\(mode)"), .local, mode)
            XCTAssertEqual(try trust(remote, [:], .byConnectionString), .local, mode)
            // A variable can neither weaken nor permit.
            XCTAssertEqual(try trust("host=db.example", ["PGSSLMODE": mode]), .verified, mode)
            let byString = try trust("host=db.example", ["PGSSLMODE": mode], .byConnectionString)
            XCTAssertEqual(byString, .verified, mode)
        }
        // The last of several counts, for libpq as well.
        XCTAssertEqual(try trust("host=db.example sslmode=verify-full sslmode=disable"), .refused)
        XCTAssertEqual(try trust("postgresql://db.example/a?ssl=true"), .refused)
        XCTAssertEqual(try trust("host=db.example sslmode=nonsense"), .refused)
        for text in ["host=db.example", "host=localhost", "service=any"] {
            XCTAssertEqual(try trust("\(text) sslmode=verify-full"), .verified)
            XCTAssertEqual(try trust("\(text) sslmode=verify-full", [:], .byConnectionString), .verified)
        }
        XCTAssertEqual(try trust("host=db.example gssencmode=require"), .verified)
    }

    func testTheEnvironmentCountsWhereTheStringIsSilent() throws {
        let table: [(String, [String: String], Trust)] = [
            ("", ["PGHOST": "db.example"], .verified), ("", ["PGHOSTADDR": "192.0.2.1"], .verified),
            ("", ["PGHOST": "/run", "PGHOSTADDR": "192.0.2.1"], .verified),
            ("", ["PGHOST": "localhost"], .local),
            ("host=localhost", ["PGHOST": "db.example"], .local),
            ("host=localhost", ["PGHOSTADDR": "192.0.2.1"], .verified),
            ("host=db.example", ["PGHOSTADDR": "127.0.0.1"], .local),
            ("host=''", ["PGHOST": "db.example"], .verified),
            ("sslmode=prefer", ["PGHOST": "db.example"], .refused),
            ("sslmode=prefer", ["PGHOST": "/run"], .local),
        ]
        for (text, environment, expected) in table {
            XCTAssertEqual(try trust(text, environment), expected, "\(text) \(environment)")
        }
    }

    /// The file of services can name a host on another machine, whenever it changes.
    func testAServiceOfTheEnvironmentCounts() throws {
        let file = FileManager.default.temporaryDirectory.appending(component: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("[far]\nhost=db.example\nsslmode=disable\n[near]\nhost=/run\n".utf8).write(to: file)
        let files = ["PGSERVICEFILE": file.path]
        for service in ["far", "near", "absent"] {
            let environment = files.merging(["PGSERVICE": service]) { $1 }
            for text in ["", "host=localhost", "sslmode=verify-full"] {
                XCTAssertEqual(try trust(text, environment), .verified, "\(text) \(service)")
                XCTAssertEqual(
                    try trust("\(text) service=\(service)", files),
                    .verified,
                    "\(text) \(service)"
                )
            }
            XCTAssertEqual(try trust("sslmode=prefer", environment), .refused, service)
        }
    }

    func testErrorsRepeatNothingOfTheString() throws {
        try PQLibrary.load()
        for text in [
            "password=secret-1 nonsense", "host='secret-1", "secret-1", "secret-1=a",
            "postgresql://u:secret-1@[::1",
            "postgresql://u:secret-1@h/a?secret-1", "postgresql://u:secret-1%zz@h/a", "host=a\0secret-1",
            "postgresql://u:secret-1@h/%00", "password=secret-1\0",
        ] {
            do {
                _ = try ConnectionParameters(PostgreSQLSettings(text))
                XCTFail("no error: \(text)")
            } catch {
                XCTAssertEqual(error, SharedStateError(.invalidSettings), text)
                XCTAssertFalse(error.description.contains("secret"), "\(error)")
            }
        }
    }

    func testUnreadableAuthoritiesAreErrors() throws {
        try PQLibrary.load()
        for path in ["/nonexistent", "/dev/null", "/etc/hostname", "/"] {
            for text in ["host=db.example", "host=db.example sslrootcert=\(path)"] {
                var settings = PostgreSQLSettings(text)
                if !text.contains(path) { settings.authorities = path }
                XCTAssertThrowsError(try ConnectionParameters(settings), path) { error in
                    XCTAssertEqual(error as? SharedStateError, SharedStateError(.invalidSettings), "\(error)")
                }
            }
        }
    }

    /// Runs `body` with variables of libpq, and without its other ones.
    private func withEnvironment<Value>(_ variables: [String: String], _ body: () throws -> Value) rethrows
        -> Value
    {
        let names = ["PGHOST", "PGHOSTADDR", "PGSSLMODE", "PGSERVICE", "PGSERVICEFILE", "PGSSLROOTCERT"]
        let before = names.map { name in (name, getenv(name).map { String(cString: $0) }) }
        defer { for (name, value) in before { Self.set(name, value) } }
        for name in names { Self.set(name, variables[name]) }
        return try body()
    }

    private static func set(_ name: String, _ value: String?) {
        if let value { setenv(name, value, 1) } else { unsetenv(name) }
    }
}
