// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient

/// The options for a server whose challenge the proof is computed over.
struct TimeServerOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Fetch the challenge from this server, as a login does.", valueName: "url"))
    var server: TextArgument?

    @Option(
        help: ArgumentHelp(
            "The path of the challenge (default: /hmackey.php).",
            valueName: "path"
        )
    )
    var timePath: TextArgument?

    @Option(
        help: ArgumentHelp(
            "The JSON member that contains the challenge (default: key).",
            valueName: "name"
        )
    )
    var timeField: TextArgument?

    /// Rejects options with which no challenge can be fetched.
    func check(timeZone: String?) throws {
        guard let server else {
            guard timePath == nil, timeField == nil else {
                throw ValidationError("--time-path and --time-field are valid only with --server.")
            }
            return
        }
        _ = try ConnectionOptions.url(server.text)
        do throws(ClientError) {
            // Parsing a profile checks its content.
            _ = try LoginProfile(json: profile(timeZone: timeZone).json())
        } catch {
            throw ValidationError("\(error.description).")
        }
    }

    /// Fetches the server's challenge, and checks it as a login does.
    func challenge(_ connection: ConnectionOptions, timeZone: String?) async throws -> String {
        let session = try LoginSession(
            server: server?.text ?? "",
            profile: profile(timeZone: timeZone),
            keychain: nil,
            configuration: try await connection.configuration()
        )
        return try await session.challenge()
    }

    private func profile(timeZone: String?) -> LoginProfile {
        var time = LoginProfile.ChallengeSource()
        if let timePath { time.path = timePath.text }
        if let timeField { time.field = timeField.text }
        time.timeZone = timeZone
        // The phrase is a placeholder: fetching a challenge neither sends nor uses it.
        return .timestamped(keyPhrase: "phrase", challenge: time)
    }
}

/// How far a clock is ahead of UTC: `+08:00`, `-03:30`, or minutes such as `480`.
struct TimeOffsetArgument: ExpressibleByArgument, CustomStringConvertible {
    let minutes: Int

    /// The offset as a duration.
    var duration: Duration { .seconds(60 * minutes) }

    init(_ offset: Duration) { minutes = Int(offset.components.seconds / 60) }

    init?(argument: String) {
        let digits = argument.drop { $0 == "+" || $0 == "-" }
        guard argument.count - digits.count <= 1, digits.utf8.allSatisfy({ (48...58).contains($0) }) else {
            return nil
        }
        let parts = digits.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
        let count: Int
        switch (parts.count, parts[0], parts.last ?? nil) {
        case (1, let minutes?, _): count = minutes
        case (2, let hours?, let minutes?) where hours <= 24 && minutes < 60: count = hours * 60 + minutes
        default: return nil
        }
        guard count <= 24 * 60 else { return nil }
        minutes = argument.hasPrefix("-") ? -count : count
    }

    var description: String {
        let (hours, minutes) = abs(minutes).quotientAndRemainder(dividingBy: 60)
        let pad = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return (self.minutes < 0 ? "-" : "+") + pad(hours) + ":" + pad(minutes)
    }
}
