// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Foundation

/// Compares `credkit request` for one small https page, from process start to exit, with the curl command.
enum RequestComparison {
    /// Milliseconds each, and one in ten is disturbed.
    private static let rounds = 61

    static func measure(_ options: Options) throws -> Outcome {
        let server = try WebServer()
        let url = (server.urls["https"] ?? "") + "/data"
        let output = server.files.appendingPathComponent("output").path
        let commands = [
            "credkit request": [try options.credkit, "request", "--cacert", server.certificates, url],
            "curl": ["curl", "--silent", "--show-error", "--fail", "--cacert", server.certificates, url],
        ]
        for (name, command) in commands {
            _ = try CommandRun(command, output: output).run()
            guard try String(contentsOfFile: output, encoding: .utf8) == WebServer.data else {
                throw Failure(description: "\(name) prints another page")
            }
        }
        return try Comparison(
            id: "request",
            title: "One https page, from start to end of the process",
            contenders: commands.keys.sorted().map { name in
                Contender(name: name) { try CommandRun(commands[name] ?? []).run() }
            },
            claims: [
                .time("request-time", "credkit request", "curl", atMost: 1.5),
                .processorTime("request-processor-time", "credkit request", "curl", atMost: nil),
            ],
            rounds: rounds
        ).measure()
    }
}
