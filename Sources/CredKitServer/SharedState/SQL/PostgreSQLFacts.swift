// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What a PostgreSQL server reports about itself at the start check.
struct PostgreSQLFacts: Sendable {
    private let values: [String]
    private let version: Int
    /// In milliseconds: of an idle transaction, a lock and a statement.
    private let timeouts: [Int64]
    private let limit: Int64

    init?(_ values: [String], timeLimit: Duration) {
        guard values.count == 12, let version = Int(values[0]) else { return nil }
        let timeouts = values[7].split(separator: " ").compactMap { Int64($0) }
        guard timeouts.count == 3 else { return nil }
        self.values = values
        self.version = version
        self.timeouts = timeouts
        limit = max(1, timeLimit.microseconds / 1000)
    }

    private var isSchemaThere: Bool { values[8] == "true" }

    /// Whether the version of the schema can be read.
    var isVersionReadable: Bool { values[9] == "true" }

    /// Whether the owners of the schema, and of what is in it, are trusted. Nothing of it may be used before.
    var isTrusted: Bool { values[11].isEmpty }

    /// The problems, in the order in which to mend them.
    var problems: [SharedStateProblem] { serverProblems + settingProblems + schemaProblems + timeoutProblems }

    private var serverProblems: [SharedStateProblem] {
        var problems: [SharedStateProblem] = []
        if version < 130_000 {
            problems.append(.init("serverVersion", "PostgreSQL is too old", "update it to 13 or newer"))
        }
        if values[5] != "false" {
            problems.append(
                .init("standby", "this PostgreSQL server is a standby", "connect to the primary")
            )
        }
        return problems
    }

    private var settingProblems: [SharedStateProblem] {
        var problems: [SharedStateProblem] = []
        for (index, name) in [(1, "fsync"), (2, "full_page_writes")] where values[index] != "on" {
            problems.append(
                .init(name, "\(name) is \(values[index]), so a crash loses data", "set \(name) = on")
            )
        }
        let commit = values[3]
        if commit == "off" {
            problems.append(
                .init(
                    "synchronous_commit",
                    "synchronous_commit is off, so a crash loses what was committed",
                    "set synchronous_commit = on for the server or for this role"
                )
            )
        }
        // Replays are safe by their epoch; sessions that were revoked and counters are not.
        if commit == "local", !values[4].isEmpty {
            problems.append(
                .init(
                    "synchronous_commit",
                    "synchronous_commit is local, so a failover loses what was committed",
                    "set synchronous_commit = on, or synchronous_standby_names to nothing"
                )
            )
        }
        if values[6] != "read committed" {
            problems.append(
                .init(
                    "isolation",
                    "the isolation level is \(values[6])",
                    "set default_transaction_isolation = 'read committed' for this role"
                )
            )
        }
        return problems
    }

    private var schemaProblems: [SharedStateProblem] {
        guard isSchemaThere else {
            return [
                .init(
                    "schemaMissing",
                    "the schema is missing in this database",
                    "run the script that credkit-server schema prints"
                )
            ]
        }
        guard isTrusted else {
            return [
                .init(
                    "owner",
                    "the schema, or something in it, belongs to \(values[11].prefix(200)), who can replace what the servers call",
                    "stop all servers, drop the schema, which ends all sessions, and run the script as a superuser or as the owner of the database"
                )
            ]
        }
        guard !isVersionReadable || !values[10].isEmpty else { return [] }
        let missing = values[10].isEmpty ? "the table version" : values[10]
        return [
            .init(
                "rights",
                "this role may not use: \(missing)",
                "run the script that credkit-server schema prints, with this role"
            )
        ]
    }

    private var timeoutProblems: [SharedStateProblem] {
        let names = ["idle_in_transaction_session_timeout", "lock_timeout", "statement_timeout"]
        return zip(names, timeouts).filter { $0.1 <= 0 || $0.1 > limit }.map { name, value in
            .init(
                name,
                value <= 0 ? "\(name) is not set" : "\(name) is \(value) ms, longer than the time limit",
                "ALTER ROLE … SET \(name) = '\(limit)ms'"
            )
        }
    }
}
