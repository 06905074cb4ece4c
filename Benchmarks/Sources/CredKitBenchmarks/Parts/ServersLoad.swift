// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Logins at four `credkit-server`s that share their state in an engine, beside the same logins with state in memory. A Python
/// program starts servers, engine and generator, and reads their processor times.
enum ServersLoad {
    static func measure(_ options: Options) throws -> [Outcome] {
        try run(options.pythonServersLoad, "--engine", "redis", "--engine", "postgresql", options: options)
    }

    /// Measures checks of a site's requests at one server, beside those of nginx itself.
    static func measureChecks(_ options: Options) throws -> [Outcome] {
        try run(options.pythonChecks, options: options)
    }

    /// Measures logins with passkeys at four servers over PostgreSQL, beside timestamped logins.
    static func measurePasskeys(_ options: Options) throws -> [Outcome] {
        try run(options.pythonPasskeyLoad, options: options)
    }

    private static func run(_ program: String, _ arguments: String..., options: Options) throws -> [Outcome] {
        let result = FileManager.default.temporaryDirectory.appendingPathComponent(
            "credkit-bench-servers-\(getpid()).json"
        )
        defer { try? FileManager.default.removeItem(at: result) }
        // It is built beside this program.
        let generator = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            .appendingPathComponent("LoginGenerator")
        _ = try CommandRun(
            ["python3", program, "--server", try options.server, "--generator", generator.path]
                + arguments + ["--json", result.path],
            output: "/dev/null"
        ).run()
        return try JSONFile.read([Outcome].self, from: result.path)
    }
}
