// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Conditions in SQL on the owners of what runs, or could be put in the place of what is used, with the rights of this role:
/// they must be this role, the owner of the upgraded table or of the database, or a superuser. This role is that of the login:
/// a setting can change the present one.
enum TrustedOwner {
    /// - Parameters:
    ///   - owner: An expression for the number of an owner.
    ///   - table: An expression for the number of the upgraded table.
    /// - Returns: The condition.
    static func isTrusted(_ owner: String, ofTable table: String) -> String {
        """
        EXISTS (SELECT FROM pg_catalog.pg_roles tr WHERE tr.oid = \(owner) \
        AND (tr.rolsuper OR tr.rolname = session_user OR tr.rolname = 'pg_database_owner' \
        OR tr.oid = (SELECT td.datdba FROM pg_catalog.pg_database td WHERE td.datname = current_database()) \
        OR tr.oid = (SELECT tt.relowner FROM pg_catalog.pg_class tt WHERE tt.oid = \(table))))
        """
    }

    /// Returns a condition on the owners of a column's type, of the domains under it, and of their schemas. The table is `$1`. Types
    /// that are made of others do not satisfy it.
    static func trustsTypes(_ type: String) -> String {
        """
        NOT EXISTS (WITH RECURSIVE b AS (SELECT y.* FROM pg_catalog.pg_type y WHERE y.oid = \(type) \
        UNION ALL SELECT y.* FROM pg_catalog.pg_type y JOIN b ON y.oid = b.typbasetype) \
        SELECT FROM b JOIN pg_catalog.pg_namespace bn ON bn.oid = b.typnamespace \
        WHERE b.typtype IN ('c', 'r', 'm') AND bn.nspname <> 'pg_catalog' \
        OR NOT (\(isTrusted("b.typowner", ofTable: "$1::bigint::oid"))) \
        OR NOT (\(isTrusted("bn.nspowner", ofTable: "$1::bigint::oid"))))
        """
    }

    /// Returns a condition on the owners of all partitions of a table.
    static func trustsParts(of table: String) -> String {
        """
        NOT EXISTS (WITH RECURSIVE p AS (SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE i.inhparent = \(table) \
        UNION SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN p ON i.inhparent = p.inhrelid) \
        SELECT FROM p JOIN pg_catalog.pg_class pc ON pc.oid = p.inhrelid \
        WHERE NOT (\(isTrusted("pc.relowner", ofTable: table))))
        """
    }
}
