// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A statement that a PostgreSQL server runs as one atomic step: a transaction of its own, at the isolation level
/// `READ COMMITTED`.
public struct SQLStatement: Sendable, Hashable {
    /// A short name, for logs and metrics.
    public let name: String

    /// The text, with `$1`, `$2` and so on for the parameters, each with its type, such as `$1::bytea`.
    public let text: String

    /// Whether it changes a table of users, whose triggers may need the search path of the role. It names the schemas of
    /// everything itself, so that nothing else depends on that path.
    public let runsTriggers: Bool

    package init(_ name: String, _ text: String, runsTriggers: Bool = false) {
        self.name = name
        self.text = text
        self.runsTriggers = runsTriggers
    }
}
