// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// What the log shows of a request. It has no query, header or body, which contain secrets.
struct LoggedRequest: Sendable {
    /// The maximum number of bytes of a path that are logged. Escaped they are six times as many, and the line is still
    /// shorter than PIPE_BUF, which a writable pipe accepts at once.
    private static let pathByteCount = 200

    let id: String
    /// The address of the client.
    let address: String
    let method: String
    let path: String
    let status: Int
    let duration: Duration
    let login: LoggedLogin?

    init(
        id: String,
        address: String,
        method: String,
        path: String,
        status: Int,
        duration: Duration,
        login: LoggedLogin?
    ) {
        self.id = id
        self.address = address
        self.method = String(method.prefix(20))
        self.path = String(decoding: path.utf8.prefix(Self.pathByteCount), as: UTF8.self)
        self.status = status
        self.duration = duration
        self.login = login
    }

    /// The line for people.
    var text: String { "\(address) \(method) \(ShellQuoting.escapingUnprintable(path)) \(status)\n" }
}

extension LoggedRequest: Encodable {
    private enum CodingKeys: String, CodingKey {
        case time, level, event, id, client, method, path, status, seconds, mechanism, outcome
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(LogTime.now, forKey: .time)
        try container.encode(status < 500 ? ServerLog.Level.info : .error, forKey: .level)
        try container.encode("request", forKey: .event)
        try container.encode(id, forKey: .id)
        try container.encode(address, forKey: .client)
        try container.encode(method, forKey: .method)
        try container.encode(path, forKey: .path)
        try container.encode(status, forKey: .status)
        let microseconds = Int(duration / .microseconds(1))
        try container.encode(Double(microseconds) / 1_000_000, forKey: .seconds)
        try container.encodeIfPresent(login?.mechanism.rawValue, forKey: .mechanism)
        try container.encodeIfPresent(login?.outcome.rawValue, forKey: .outcome)
    }
}

/// The result of a login as the log and the metrics show it. The name of the user is left out: users type passwords into the
/// wrong field, and the hash of a name can be guessed.
struct LoggedLogin: Sendable, Hashable {
    /// What became of a login.
    enum Outcome: String, Sendable, CaseIterable {
        case accepted
        case rejected
        case codeRequired = "code_required"
        /// Refused by the limits of attempts.
        case limited
        case replayed
        /// The server could not decide, or has no room for another session.
        case unavailable
    }

    let mechanism: ServerMechanism
    var outcome: Outcome
}
