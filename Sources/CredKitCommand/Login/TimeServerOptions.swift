// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient

/// A server whose time text a proof is made of.
struct TimeServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Take the time text from this server.", valueName: "url"))
    var server: TextArgument?

    @Option(
        help: ArgumentHelp(
            "With --server, the path of the time text (default: /hmackey.php).",
            valueName: "path"
        )
    )
    var timePath: TextArgument?

    @Option(
        help: ArgumentHelp(
            "With --server, the JSON member that has the time text (default: key).",
            valueName: "name"
        )
    )
    var timeField: TextArgument?

    /// Refuses what no time text could be had by.
    func check(timeZone: String?) throws {
        guard let server else {
            guard timePath == nil, timeField == nil else {
                throw ValidationError("--time-path and --time-field go with --server only.")
            }
            return
        }
        _ = try ConnectionOptions.url(server.text)
        do throws(LoginError) {
            // Reading a profile checks what is in it.
            _ = try LoginProfile(json: profile(timeZone: timeZone).json())
        } catch {
            throw ValidationError("\(error.description).")
        }
    }

    /// The server's time text, fetched and checked as a login does it.
    func timeText(_ connection: ConnectionOptions, timeZone: String?) async throws -> String {
        let session = try LoginSession(
            server: server?.text ?? "",
            profile: profile(timeZone: timeZone),
            keychain: nil,
            configuration: try await connection.configuration()
        )
        return try await session.timeText()
    }

    private func profile(timeZone: String?) -> LoginProfile {
        var time = LoginProfile.TimeText()
        if let timePath { time.path = timePath.text }
        if let timeField { time.field = timeField.text }
        time.timeZone = timeZone
        // The phrase is not sent, and not used for the text.
        return .timestamped(keyPhrase: "phrase", time: time)
    }
}
