// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
@testable import CredKitServer
import CredKitTestSupport
import CredKitTesting
import Testing

/// Changes of users in a table of a real PostgreSQL server.
@Suite
struct PostgreSQLAccountChangeTests {
    private static let table = PostgreSQLAccounts.Table(
        "T\"able",
        schema: "public",
        name: "Na\"me",
        credential: "Secret"
    )

    private static func one() throws -> StoredCredential {
        try StoredCredential("97070e99c2efa11e14a1b6f5407b4209")
    }

    private static func two() throws -> StoredCredential {
        try StoredCredential("5f4dcc3b5aa765d61d8327deb882cf99")
    }

    /// A server with a table, which has these columns.
    private func accounts(
        _ columns: String = #""Na""me" text PRIMARY KEY, "Secret" text"#,
        rights: String = #"SELECT, INSERT, DELETE, UPDATE ("Secret")"#
    ) throws -> (PostgreSQLServer, PostgreSQLAccounts) {
        let server = try PostgreSQLServer()
        try server.createRole()
        try server.run(
            """
            CREATE EXTENSION citext; CREATE TABLE "T""able" (\(columns)); GRANT \(rights) ON "T""able" TO app
            """
        )
        let client = try PostgreSQLClient(server)
        return (server, PostgreSQLAccounts(client, table: Self.table, timeLimit: .seconds(10)))
    }

    private func add(_ name: String, _ accounts: PostgreSQLAccounts) async throws -> Bool {
        try await accounts.set(Self.one(), inPlaceOf: nil, ofAccountNamed: name)
    }

    private func code(_ body: () async throws -> Void) async -> SharedStateError.Code? {
        do {
            try await body()
            return nil
        } catch {
            return (error as? SharedStateError)?.code
        }
    }

    @Test(arguments: ["text PRIMARY KEY", "varchar(200) UNIQUE NOT NULL", #"text COLLATE "C" UNIQUE"#])
    func tablesPassTheSuite(_ type: String) async throws {
        let (server, accounts) = try accounts(#""Na""me" \#(type), "Secret" text"#)
        try await WritableAccountsSuite { accounts }.run()
        withExtendedLifetime(server) {}
    }

    /// Other spellings are not the same user, and no new one.
    @Test(arguments: [#""Na""me" citext UNIQUE, "Secret" text"#, #""Na""me" text UNIQUE, "Secret" text"#])
    func otherSpellingIsNoNewAccount(_ columns: String) async throws {
        let (server, accounts) = try accounts(columns)
        try server.run(#"CREATE UNIQUE INDEX ON "T""able" (lower("Na""me"::text))"#)
        #expect(try await add("Alice", accounts))
        #expect(try await !add("alice", accounts))
        #expect(try await !accounts.set(Self.two(), inPlaceOf: Self.one(), ofAccountNamed: "alice"))
        #expect(try await !accounts.remove(accountNamed: "alice"))
        #expect(try await accounts.accountNames() == (["Alice"] as [String]))
    }

    /// `NULL`, and texts that are no credential, are locks.
    @Test func lockIsNotReplaced() async throws {
        let (server, accounts) = try accounts()
        for (name, text) in [
            ("null", "NULL"), ("star", "'*'"), ("word", "'!locked!'"),
            ("django", "'!\(String(repeating: "a", count: 40))'"),
        ] {
            try server.run(#"INSERT INTO "T""able" VALUES ('\#(name)', \#(text))"#)
            #expect(try await accounts.account(named: name)?.credential == .unusable)
            #expect(try await !accounts.set(Self.one(), inPlaceOf: .unusable, ofAccountNamed: name))
        }
        try server.run(#"INSERT INTO "T""able" VALUES ('mark', '!')"#)
        #expect(try await accounts.set(Self.one(), inPlaceOf: .unusable, ofAccountNamed: "mark"))
    }

    /// Two rows of one name would be an error at each login.
    @Test func tableWithoutUniqueNamesTakesNoAccount() async throws {
        for columns in [
            #""Na""me" text, "Secret" text"#,
            #""Na""me" text, "Secret" text, number int DEFAULT 1, UNIQUE ("Na""me", number)"#,
        ] {
            let (server, accounts) = try accounts(columns)
            do {
                _ = try await add("alice", accounts)
                Issue.record("an account was added")
            } catch let error as SharedStateError {
                #expect(error.code == .wrongContent && error.description.contains("unique"))
            }
            // What is there can be changed.
            try server.run(#"INSERT INTO "T""able" VALUES ('alice', '!')"#)
            #expect(try await accounts.set(Self.one(), inPlaceOf: .unusable, ofAccountNamed: "alice"))
        }
    }

    @Test func viewsAreWrittenOrRefused() async throws {
        let (server, _) = try accounts()
        let client = try PostgreSQLClient(server)
        func view(_ name: String, _ selection: String) throws -> PostgreSQLAccounts {
            try server.run(
                """
                CREATE VIEW \(name) AS \(selection); GRANT SELECT, INSERT, DELETE, UPDATE ON \(name) TO app
                """
            )
            let table = PostgreSQLAccounts.Table(name, schema: "public", name: "login", credential: "hash")
            return PostgreSQLAccounts(client, table: table, timeLimit: .seconds(10))
        }
        let plain = try view("plain", #"SELECT "Na""me" AS login, "Secret" AS hash FROM "T""able""#)
        #expect(try await add("alice", plain))
        #expect(try await !add("alice", plain))
        #expect(try await plain.set(Self.two(), inPlaceOf: Self.one(), ofAccountNamed: "alice"))
        #expect(try await plain.remove(accountNamed: "alice"))
        let grouped = try view(
            "grouped",
            #"SELECT "Na""me" AS login, max("Secret") AS hash FROM "T""able" GROUP BY 1"#
        )
        #expect(await code { _ = try await add("alice", grouped) } == .wrongContent)
    }

    /// A column that cuts or pads, and a trigger, would store another name than the one that was given.
    @Test func nameIsStoredAsItIsOrNotAtAll() async throws {
        let (server, accounts) = try accounts(#""Na""me" varchar(5) UNIQUE, "Secret" text"#)
        #expect(await code { _ = try await add("alice ", accounts) } == .wrongContent)
        #expect(await code { _ = try await add("alice2", accounts) } == .failed)
        try server.run(
            """
            CREATE FUNCTION lowered() RETURNS trigger LANGUAGE plpgsql AS
              'BEGIN new."Na""me" := lower(new."Na""me"); RETURN new; END';
            CREATE TRIGGER lowered BEFORE INSERT ON "T""able" FOR EACH ROW EXECUTE FUNCTION lowered()
            """
        )
        #expect(await code { _ = try await add("ALICE", accounts) } == .wrongContent)
        #expect(try await accounts.accountNames().isEmpty)
        #expect(try await add("alice", accounts))
        #expect(try await !add("bob\0", accounts))
    }

    @Test func missingRightsAreSaid() async throws {
        let (server, accounts) = try accounts(rights: "SELECT")
        try server.run(#"INSERT INTO "T""able" VALUES ('alice', '!')"#)
        #expect(await code { _ = try await add("bob", accounts) } == .notPermitted)
        #expect(await code { _ = try await accounts.remove(accountNamed: "alice") } == .notPermitted)
        let change = await code {
            _ = try await accounts.set(Self.one(), inPlaceOf: .unusable, ofAccountNamed: "alice")
        }
        #expect(change == .notPermitted)
        #expect(try await accounts.accountNames() == (["alice"] as [String]))
    }

    /// Triggers run with the rights of the server.
    @Test func triggersOfOtherRolesAreRefused() async throws {
        let (server, accounts) = try accounts()
        try server.run(
            """
            CREATE ROLE mallory; CREATE FUNCTION public.keep() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN new; END';
            CREATE TRIGGER keep AFTER INSERT OR DELETE ON "T""able" FOR EACH ROW EXECUTE FUNCTION public.keep();
            """
        )
        #expect(try await add("alice", accounts))
        try server.run("ALTER FUNCTION public.keep() OWNER TO mallory")
        #expect(await code { _ = try await add("bob", accounts) } == .wrongContent)
        #expect(await code { _ = try await accounts.remove(accountNamed: "alice") } == .wrongContent)
        #expect(try await accounts.accountNames() == (["alice"] as [String]))
    }

    /// Changes by several servers at once, and renewals of the hash beside them.
    @Test func changesOfServersLoseNothing() async throws {
        let (server, first) = try accounts()
        let servers =
            try [first]
            + (0..<2).map { _ in
                PostgreSQLAccounts(try PostgreSQLClient(server), table: Self.table, timeLimit: .seconds(10))
            }
        #expect(try await add("alice", first))
        let rounds = TestForm.isDeep ? 200 : 10
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            for (index, accounts) in servers.enumerated() {
                group.addTask {
                    var stored = 0
                    for round in 0..<rounds {
                        guard let present = try await accounts.account(named: "alice") else { return -1 }
                        let next =
                            String(repeating: "\(index)", count: 16) + String(round + (1 << 60), radix: 16)
                        let isStored = try await accounts.set(
                            StoredCredential(next),
                            inPlaceOf: present.credential,
                            ofAccountNamed: "alice"
                        )
                        let isMine = try await accounts.account(named: "alice")?.credential.text == next
                        // What was refused is not there.
                        if isMine, !isStored { return -1 }
                        if isStored { stored += 1 }
                        // A renewal by a login, of what may be gone by now.
                        try await accounts.replace(
                            present.credential,
                            with: Self.one(),
                            ofAccountNamed: "alice"
                        )
                    }
                    return stored
                }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(counts.allSatisfy { $0 >= 0 } && counts.reduce(0, +) > 0)
        #expect(try await first.account(named: "alice")?.credential != .unusable)
        #expect(try await first.accountNames() == (["alice"] as [String]))
    }
}
