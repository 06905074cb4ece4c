// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A statement that a PostgreSQL server runs as one atomic step: a transaction of its own, at the isolation level
/// `READ COMMITTED`.
public struct SQLStatement: Sendable, Hashable {
    /// A statement that must succeed before another one, in the same transaction. Its rows are of no interest.
    public struct Condition: Sendable, Hashable {
        /// The text, as that of a statement.
        public let text: String
        /// The parameters, `$1` first.
        public let parameters: [SQLValue]
        /// Whether no other statement has its text, so that a server should not keep it parsed.
        package let isUnique: Bool

        package init(_ text: String, _ parameters: [SQLValue] = [], isUnique: Bool = false) {
            self.text = text
            self.parameters = parameters
            self.isUnique = isUnique
        }
    }

    /// A short name, for logs and metrics.
    public let name: String

    /// The text, with `$1`, `$2` and so on for the parameters, each with its type, such as `$1::bytea`.
    public let text: String

    /// Whether it changes a table of users, whose triggers may need the search path of the role. It names the schemas of
    /// everything itself, so that nothing else depends on that path.
    public let runsTriggers: Bool

    /// What to run before it, in this order and with the pinned search path: that a name is still that of what was checked. If
    /// one fails, the statement must not even be planned, since that can run what the name belongs to now.
    public internal(set) var conditions: [Condition] = []

    package init(_ name: String, _ text: String, runsTriggers: Bool = false) {
        self.name = name
        self.text = text
        self.runsTriggers = runsTriggers
    }
}
