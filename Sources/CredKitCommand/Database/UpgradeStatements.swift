// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// The statements that read and change the rows of a table.
///
/// Identifiers, hashes and salts are transported as bytes in the encoding of the database, so that any text arrives unchanged.
struct UpgradeStatements: Sendable {
    /// The length from which a stored text is cut off when it is read. No hash is so long.
    static let maximumLength = 4096

    private let table: String
    private let id: String
    private let type: String
    private let hash: String
    private let hashName: String
    private let salt: String
    private let compares: (less: String, greater: String, equal: String)

    init(_ table: UpgradedTable) {
        self.table = table.name.quoted
        id = "t.\(SQLName.quote(table.idColumn))"
        type = table.idType
        // A less exact operator of `pg_catalog` is not found before another one in the search path, which another role may have
        // created. Types of extensions have their operators elsewhere.
        compares =
            table.isIDTypeBuiltIn
            ? ("OPERATOR(pg_catalog.<=)", "OPERATOR(pg_catalog.>)", "OPERATOR(pg_catalog.=)")
            : ("<=", ">", "=")
        hashName = SQLName.quote(table.hashColumn)
        hash = "t.\(hashName)"
        salt = table.saltColumn.map { Self.bytes("t.\(SQLName.quote($0))") } ?? "NULL::bytea"
    }

    static func bytes(_ expression: String) -> String {
        "convert_to(\(expression)::text, getdatabaseencoding())"
    }

    private func identifier(_ parameter: String) -> String {
        "convert_from(\(parameter), getdatabaseencoding())::\(type)"
    }

    private var columns: String {
        let length = Self.maximumLength + 1
        return "\(Self.bytes(id)), substr(\(Self.bytes(hash)), 1, \(length)), substr(\(salt), 1, \(length))"
    }

    /// Reads rows in the order of their identifiers.
    ///
    /// The parameters are the number of rows, then the lower bound and the upper bound, where there are any.
    func read(hasLowerBound: Bool, hasUpperBound: Bool) -> String {
        var conditions: [String] = []
        if hasLowerBound { conditions.append("\(id) \(compares.greater) \(identifier("$2::bytea"))") }
        if hasUpperBound {
            conditions.append(
                "\(id) \(compares.less) \(identifier(hasLowerBound ? "$3::bytea" : "$2::bytea"))"
            )
        }
        return "SELECT \(columns) FROM \(table) t"
            + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
            + " ORDER BY \(id) LIMIT $1::bigint"
    }

    /// Reads rows with these identifiers: `$1` as bytes of texts.
    var readAgain: String {
        "SELECT \(columns) FROM \(table) t WHERE \(id) \(compares.equal) ANY (SELECT \(identifier("u.id")) "
            + "FROM pg_catalog.unnest($1::text::bytea[]) AS u(id))"
    }

    /// Replaces hashes that have not changed since they were read, and returns the identifiers of these rows.
    ///
    /// The parameters are identifiers, old hashes and new hashes. Rows that another transaction has locked are left out: waiting
    /// for one would let logins of all others wait, too.
    var replace: String {
        let isUnchanged = "\(Self.bytes(hash)) = v.old"
        return """
            WITH v AS MATERIALIZED (SELECT \(identifier("u.id")) AS id, u.old, \
            convert_from(u.new, getdatabaseencoding()) AS new \
            FROM unnest($1::text::bytea[], $2::text::bytea[], $3::text::bytea[]) AS u(id, old, new)), \
            free AS MATERIALIZED (SELECT \(id) AS id FROM \(table) t JOIN v ON \(id) \(compares.equal) v.id WHERE \(isUnchanged) \
            FOR NO KEY UPDATE OF t SKIP LOCKED) \
            UPDATE \(table) t SET \(hashName) = v.new FROM v JOIN free ON free.id \(compares.equal) v.id \
            WHERE \(id) \(compares.equal) v.id AND \(isUnchanged) RETURNING \(Self.bytes(id))
            """
    }

    /// Returns a query for the last identifier of the next rows, or `NULL`.
    ///
    /// - Parameters:
    ///   - bound: An expression for a text, after whose identifier the rows begin.
    ///   - limit: An expression for the number of rows.
    /// - Returns: The query, as an expression.
    func lastIdentifier(after bound: String, limit: String) -> String {
        func query(_ condition: String) -> String {
            "(SELECT k.id FROM (SELECT \(id) AS id FROM \(table) t\(condition) ORDER BY \(id) LIMIT \(limit)) k "
                + "ORDER BY k.id DESC LIMIT 1)"
        }
        return "CASE WHEN \(bound) IS NULL THEN \(query("")) "
            + "ELSE \(query(" WHERE \(id) \(compares.greater) \(bound)::\(type)")) END"
    }
}
