// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitServer

/// The statements that read and change the rows of a table.
///
/// Identifiers, hashes and salts are transported as bytes in the encoding of the database, so that any text arrives unchanged.
struct UpgradeStatements: Sendable {
    /// The length from which a stored text is cut off when it is read. No hash is so long.
    static let maximumLength = 4096

    private let table: String
    /// The identifier of a row, in the type in which identifiers are compared.
    private let id: String
    private let ids: UpgradedTable.Identifiers
    private let hash: String
    private let hashName: String
    private let salt: String

    init(_ table: UpgradedTable) {
        self.table = table.name.quoted
        ids = table.identifiers
        id = "(t.\(SQLName.quote(table.idColumn))::\(ids.type)\(ids.collation))"
        hashName = SQLName.quote(table.hashColumn)
        hash = "t.\(hashName)"
        salt = table.saltColumn.map { Self.bytes("t.\(SQLName.quote($0))") } ?? "NULL::pg_catalog.bytea"
    }

    static func bytes(_ expression: String) -> String {
        "pg_catalog.convert_to(\(expression)::pg_catalog.text, pg_catalog.getdatabaseencoding())"
    }

    private static func text(_ bytes: String) -> String {
        "pg_catalog.convert_from(\(bytes), pg_catalog.getdatabaseencoding())"
    }

    private func identifier(_ parameter: String) -> String {
        "(\(Self.text(parameter))::\(ids.type)\(ids.collation))"
    }

    private var columns: String {
        let length = Self.maximumLength + 1
        return
            "\(Self.bytes(id)), pg_catalog.substr(\(Self.bytes(hash)), 1, \(length)), pg_catalog.substr(\(salt), 1, \(length))"
    }

    /// Reads rows in the order of their identifiers.
    ///
    /// The parameters are the number of rows, then the lower bound and the upper bound, where there are any.
    func read(hasLowerBound: Bool, hasUpperBound: Bool) -> String {
        var conditions: [String] = []
        if hasLowerBound { conditions.append("\(id) \(ids.greater) \(identifier("$2::bytea"))") }
        if hasUpperBound {
            conditions.append(
                "\(id) \(ids.lessOrEqual) \(identifier(hasLowerBound ? "$3::bytea" : "$2::bytea"))"
            )
        }
        return "SELECT \(columns) FROM \(table) t"
            + (conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))")
            + " ORDER BY \(id) USING \(ids.less) LIMIT $1::bigint"
    }

    /// Reads all rows in the order of their identifiers.
    var readAll: String { "SELECT \(columns) FROM \(table) t ORDER BY \(id) USING \(ids.less)" }

    /// Reads rows with these identifiers: `$1` as bytes of texts.
    var readAgain: String {
        "SELECT \(columns) FROM \(table) t WHERE \(id) \(ids.equal) ANY (SELECT \(identifier("u.id")) "
            + "FROM pg_catalog.unnest($1::pg_catalog.text::pg_catalog.bytea[]) AS u(id))"
    }

    /// Replaces hashes that have not changed since they were read, and returns the identifiers of these rows, each with whether it
    /// has the new hash: a trigger can store another one, or leave the row out.
    ///
    /// The parameters are identifiers, old hashes and new hashes. Rows that another transaction has locked are left out: waiting
    /// for one would let logins of all others wait, too.
    ///
    /// It runs with the search path of the role, for triggers of the table, so each name in it has a schema.
    var replace: String {
        let isUnchanged = "\(Self.bytes(hash)) OPERATOR(pg_catalog.=) v.old"
        let lists = (1...3).map { "pg_catalog.unnest($\($0)::pg_catalog.text::pg_catalog.bytea[])" }
        return """
            WITH v AS MATERIALIZED (SELECT \(identifier("u.id")) AS id, u.old, \(Self.text("u.new")) AS new \
            FROM ROWS FROM (\(lists.joined(separator: ", "))) AS u(id, old, new)), \
            free AS MATERIALIZED (SELECT \(id) AS id FROM \(table) t JOIN v ON \(id) \(ids.equal) v.id WHERE \(isUnchanged) \
            FOR NO KEY UPDATE OF t SKIP LOCKED), \
            done AS (UPDATE \(table) t SET \(hashName) = v.new FROM v JOIN free ON free.id \(ids.equal) v.id \
            WHERE \(id) \(ids.equal) v.id AND \(isUnchanged) RETURNING \(id) AS id, \
            (\(Self.bytes(hash)) OPERATOR(pg_catalog.=) \(Self.bytes("v.new")))::pg_catalog.int4::pg_catalog.int8 AS same) \
            SELECT \(Self.bytes("free.id")), coalesce(done.same, 0::pg_catalog.int8) \
            FROM free LEFT JOIN done ON free.id \(ids.equal) done.id
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
            "(SELECT k.id FROM (SELECT \(id) AS id FROM \(table) t\(condition) ORDER BY \(id) USING \(ids.less) LIMIT \(limit)) k "
                + "ORDER BY k.id USING \(ids.greater) LIMIT 1)"
        }
        return "CASE WHEN \(bound) IS NULL THEN \(query("")) "
            + "ELSE \(query(" WHERE \(id) \(ids.greater) (\(bound)::\(ids.type)\(ids.collation))")) END"
    }
}
