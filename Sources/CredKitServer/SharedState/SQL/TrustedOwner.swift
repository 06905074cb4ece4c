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

    /// Returns a condition on the triggers of a table and its partitions: what they call, also in their conditions, belongs to no
    /// other role and runs no text, and there are none if others may create triggers, which have no owner. Partitions are not
    /// locked with their table, so that others must not be able to create one there.
    package static func trustsTriggers(ofTable table: String) -> String {
        """
        NOT EXISTS (\(parts(of: table)) \
        SELECT FROM p JOIN pg_catalog.pg_trigger pt ON pt.tgrelid = p.id WHERE NOT pt.tgisinternal \
        AND (EXISTS (SELECT FROM pg_catalog.pg_proc pf WHERE pf.oid = pt.tgfoid \
        AND NOT (\(isTrusted("pf.proowner", ofTable: table)))) \
        OR EXISTS (SELECT FROM pg_catalog.pg_depend pd WHERE pd.classid = 'pg_catalog.pg_trigger'::pg_catalog.regclass \
        AND pd.objid = pt.oid AND NOT (CASE pd.refclassid \
        WHEN 'pg_catalog.pg_class'::pg_catalog.regclass THEN pd.refobjid = pt.tgrelid OR pd.refobjid IN (SELECT id FROM p) \
        WHEN 'pg_catalog.pg_trigger'::pg_catalog.regclass THEN true \
        WHEN 'pg_catalog.pg_collation'::pg_catalog.regclass THEN true \
        WHEN 'pg_catalog.pg_proc'::pg_catalog.regclass THEN EXISTS (SELECT FROM pg_catalog.pg_proc pf \
        WHERE pf.oid = pd.refobjid AND (\(isTrusted("pf.proowner", ofTable: table)))) \
        WHEN 'pg_catalog.pg_operator'::pg_catalog.regclass THEN EXISTS (SELECT FROM pg_catalog.pg_operator po \
        JOIN pg_catalog.pg_proc pf ON pf.oid = po.oprcode WHERE po.oid = pd.refobjid \
        AND (\(isTrusted("po.oprowner", ofTable: table))) AND (\(isTrusted("pf.proowner", ofTable: table)))) \
        WHEN 'pg_catalog.pg_type'::pg_catalog.regclass THEN \(trustsTypes("pd.refobjid", ofTable: table)) \
        ELSE false END)) \
        OR EXISTS (SELECT FROM pg_catalog.regexp_matches(pt.tgqual::text, ':funcid ([0-9]+)', 'g') pm \
        JOIN pg_catalog.pg_proc pf ON pf.oid = pm[1]::oid WHERE pf.provolatile = 'v' OR pf.proname LIKE '%\\_to\\_xml%'))) \
        AND NOT EXISTS (\(parts(of: table)) \
        SELECT FROM p JOIN pg_catalog.pg_class pc ON pc.oid = p.id, pg_catalog.aclexplode(pc.relacl) pa \
        WHERE pa.privilege_type = 'TRIGGER' AND NOT (\(isTrusted("pa.grantee", ofTable: table))) \
        AND ((SELECT count(*) FROM p) > 1 OR EXISTS (SELECT FROM pg_catalog.pg_trigger pt \
        WHERE pt.tgrelid = p.id AND NOT pt.tgisinternal)))
        """
    }

    private static func parts(of table: String) -> String {
        """
        WITH RECURSIVE p AS (SELECT \(table) AS id UNION SELECT i.inhrelid \
        FROM pg_catalog.pg_inherits i JOIN p ON i.inhparent = p.id)
        """
    }
}
