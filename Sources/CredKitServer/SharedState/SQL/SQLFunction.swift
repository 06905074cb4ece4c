// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A function of the schema that servers call.
enum SQLFunction: String, CaseIterable {
    case mark, complete, charge, reset, remember, consume, revoke, advance, purge
    case challengesOf = "challenges_of"
    case createSession = "create_session"
    case userOf = "user_of"
    case revokeAll = "revoke_all"
    case counterOf = "counter_of"

    /// The types of its parameters, as `pg_catalog` names them.
    var types: [String] {
        switch self {
        case .mark: ["bytea", "bytea"] + Array(repeating: "int8", count: 6)
        case .complete:
            Self.mark.types + ["bytea"] + Self.createSession.types
        case .charge: ["bytea", "text", "int8"]
        case .remember: ["bytea", "bytea", "int8", "int8"]
        case .consume, .advance: ["bytea", "bytea"]
        case .createSession: ["bytea", "bytea", "bytea", "int8", "int8", "int8"]
        case .purge: ["int8", "int8"]
        case .reset, .revoke, .challengesOf, .userOf, .revokeAll, .counterOf: ["bytea"]
        }
    }

    /// The function as `GRANT` takes it.
    var signature: String { "\(rawValue)(\(types.joined(separator: ", ")))" }

    /// The statement that calls it.
    func statement(in namespace: String) -> SQLStatement {
        let parameters = types.enumerated().map { "$\($0.offset + 1)::pg_catalog.\($0.element)" }
        return SQLStatement(
            rawValue,
            "SELECT * FROM \"\(namespace)\".\(rawValue)(\(parameters.joined(separator: ", ")))"
        )
    }
}
