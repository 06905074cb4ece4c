// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The statements that the server of a connection has parsed, and plans once: parsing and planning take longer than most of them
/// run.
///
/// They belong to a session of the server. Behind a pool of connections each transaction can get another session, so that there are
/// none unless the server process that answers is the one that accepted the connection.
struct PreparedStatements {
    /// They take memory of the server.
    private static let limit = 64

    // A pool can pass on the number of a process as well. The session of another client has none of these names then.
    private let prefix = "credkit_\(UInt64.random(in: 0 ... .max))_"
    /// Whether there is no pool of connections in between.
    var isDirect = false
    private var names: [String: String] = [:]
    private var lastNumber = 0

    /// The name of a statement that the server has parsed.
    func name(of text: String) -> String? { names[text] }

    /// Names another statement.
    ///
    /// - Parameter newCount: The number of statements that the server is being asked to parse already.
    /// - Returns: The name, or `nil` if it is to be sent without one.
    mutating func newName(besides newCount: Int) -> String? {
        guard isDirect, names.count + newCount < Self.limit else { return nil }
        lastNumber += 1
        return prefix + "\(lastNumber)"
    }

    /// Takes note that the server has parsed a statement.
    mutating func add(_ text: String, named name: String) {
        names[text] = name
    }
}
