// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Conditions in SQL on the owners of what runs, or could be put in the place of what is used, with the rights of this role:
/// they must be this role, the owner of the table of users or of the database, or a superuser. This role is that of the login:
/// a setting can change the present one. Each table is an expression for its number.
package enum TrustedOwner {
    /// Returns a condition on an owner, an expression for the number of a role.
    package static func isTrusted(_ owner: String, ofTable table: String) -> String {
        """
        EXISTS (SELECT FROM pg_catalog.pg_roles tr WHERE tr.oid = \(owner) \
        AND (tr.rolsuper OR tr.rolname = session_user OR tr.rolname = 'pg_database_owner' \
        OR tr.oid = (SELECT td.datdba FROM pg_catalog.pg_database td WHERE td.datname = current_database()) \
        OR tr.oid = (SELECT tt.relowner FROM pg_catalog.pg_class tt WHERE tt.oid = \(table))))
        """
    }

    /// Returns a condition on the owners of a column's type, of the domains and elements in it, and of their schemas. Composite
    /// types and ranges do not satisfy it.
    package static func trustsTypes(_ type: String, ofTable table: String) -> String {
        """
        NOT EXISTS (WITH RECURSIVE b AS ( \
        SELECT y.oid, y.typbasetype, y.typelem, y.typtype, y.typowner, y.typnamespace \
        FROM pg_catalog.pg_type y WHERE y.oid = \(type) \
        UNION SELECT y.oid, y.typbasetype, y.typelem, y.typtype, y.typowner, y.typnamespace \
        FROM pg_catalog.pg_type y JOIN b ON y.oid = b.typbasetype OR y.oid = b.typelem) \
        SELECT FROM b JOIN pg_catalog.pg_namespace bn ON bn.oid = b.typnamespace \
        WHERE b.typtype IN ('c', 'r', 'm') AND bn.nspname <> 'pg_catalog' \
        OR NOT (\(isTrusted("b.typowner", ofTable: table))) OR NOT (\(isTrusted("bn.nspowner", ofTable: table))))
        """
    }

    /// Returns a condition on the owners of all partitions of a table.
    package static func trustsParts(ofTable table: String) -> String {
        """
        NOT EXISTS (\(parts(of: table)) \
        SELECT FROM p JOIN pg_catalog.pg_class pc ON pc.oid = p.id WHERE NOT (\(isTrusted("pc.relowner", ofTable: table))))
        """
    }

    /// Returns a condition on the triggers of a table and its partitions: no function that they call is of another role, also in
    /// their conditions, and there are none if others may create triggers, which have no owner.
    package static func trustsTriggers(ofTable table: String) -> String {
        """
        NOT EXISTS (\(parts(of: table)) \
        SELECT FROM p JOIN pg_catalog.pg_trigger pt ON pt.tgrelid = p.id WHERE NOT pt.tgisinternal \
        AND (EXISTS (SELECT FROM pg_catalog.pg_proc pf WHERE (pf.oid = pt.tgfoid OR pf.oid IN (SELECT pd.refobjid \
        FROM pg_catalog.pg_depend pd WHERE pd.classid = 'pg_catalog.pg_trigger'::pg_catalog.regclass AND pd.objid = pt.oid \
        AND pd.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass)) \
        AND NOT (\(isTrusted("pf.proowner", ofTable: table)))) \
        OR EXISTS (SELECT FROM pg_catalog.pg_class pc, pg_catalog.aclexplode(pc.relacl) pa WHERE pc.oid = p.id \
        AND pa.privilege_type = 'TRIGGER' AND NOT (\(isTrusted("pa.grantee", ofTable: table))))))
        """
    }

    private static func parts(of table: String) -> String {
        """
        WITH RECURSIVE p AS (SELECT \(table) AS id UNION SELECT i.inhrelid \
        FROM pg_catalog.pg_inherits i JOIN p ON i.inhparent = p.id)
        """
    }
}
