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

    /// Runs before a statement with one of these conditions. PostgreSQL estimates their costs by far too high, and would compile
    /// them for seconds.
    package static let preparation = SQLStatement.Condition("SET LOCAL jit = off")

    /// Returns a condition on all code that PostgreSQL runs by itself for a table, such as in indexes, constraints, generated columns,
    /// rules, policies and statistics: it must not belong to other roles. Planning a statement already runs some of it. What calls
    /// a function depends on it; this counts also for operators, and for types with their domains and casts, since conversions to
    /// JSON and in PL/pgSQL find casts when they run.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - hasTriggers: Whether the triggers count, which only a change runs.
    /// - Returns: The condition.
    package static func trustsCode(ofTable table: String, withTriggers hasTriggers: Bool) -> String {
        let trigger =
            "UNION ALL SELECT \(number("pg_trigger")), g.oid FROM pg_catalog.pg_trigger g WHERE g.tgrelid = r.id "
        return """
            NOT EXISTS (\(relations(of: table, withReferences: hasTriggers)), \
            a AS (SELECT r.id FROM r UNION SELECT i.inhparent FROM pg_catalog.pg_inherits i JOIN a ON i.inhrelid = a.id), \
            u AS ((SELECT \(number("pg_class")) AS class, a.id FROM a \
            UNION ALL SELECT s.class, s.id FROM r, LATERAL (\
            SELECT \(number("pg_class")), i.indexrelid FROM pg_catalog.pg_index i WHERE i.indrelid = r.id \
            UNION ALL SELECT \(number("pg_constraint")), k.oid FROM pg_catalog.pg_constraint k WHERE k.conrelid = r.id \
            UNION ALL SELECT \(number("pg_attrdef")), e.oid FROM pg_catalog.pg_attrdef e WHERE e.adrelid = r.id \
            UNION ALL SELECT \(number("pg_rewrite")), w.oid FROM pg_catalog.pg_rewrite w WHERE w.ev_class = r.id \
            UNION ALL SELECT \(number("pg_policy")), y.oid FROM pg_catalog.pg_policy y WHERE y.polrelid = r.id \
            UNION ALL SELECT \(number("pg_statistic_ext")), x.oid FROM pg_catalog.pg_statistic_ext x WHERE x.stxrelid = r.id \
            \(hasTriggers ? trigger : "")) s (class, id)) \
            UNION SELECT n.class, n.id FROM u, LATERAL (SELECT d.refclassid, d.refobjid FROM pg_catalog.pg_depend d \
            WHERE d.classid = u.class AND d.objid = u.id AND d.refclassid IN (\(number("pg_proc")), \(number("pg_operator")), \
            \(number("pg_opclass")), \(number("pg_opfamily")), \(number("pg_type"))) \
            UNION ALL SELECT \(number("pg_class")), y.typrelid FROM pg_catalog.pg_type y \
            WHERE u.class = \(number("pg_type")) AND y.oid = u.id \
            UNION ALL SELECT \(number("pg_constraint")), k.oid FROM pg_catalog.pg_constraint k \
            WHERE u.class = \(number("pg_type")) AND k.contypid = u.id \
            UNION ALL SELECT \(number("pg_proc")), z.castfunc FROM pg_catalog.pg_cast z \
            WHERE u.class = \(number("pg_type")) AND u.id IN (z.castsource, z.casttarget) \
            UNION ALL SELECT \(number("pg_foreign_server")), t.ftserver FROM pg_catalog.pg_foreign_table t \
            WHERE u.class = \(number("pg_class")) AND t.ftrelid = u.id \
            UNION ALL SELECT \(number("pg_operator")), q.id FROM pg_catalog.pg_operator o, \
            pg_catalog.unnest(ARRAY[o.oprcom, o.oprnegate]) q (id) WHERE u.class = \(number("pg_operator")) AND o.oid = u.id \
            UNION ALL SELECT \(number("pg_operator")), m.amopopr FROM pg_catalog.pg_amop m \
            WHERE u.class = \(number("pg_opfamily")) AND m.amopfamily = u.id \
            UNION ALL SELECT \(number("pg_proc")), m.amproc::oid FROM pg_catalog.pg_amproc m \
            WHERE u.class = \(number("pg_opfamily")) AND m.amprocfamily = u.id) n (class, id)) \
            SELECT FROM (SELECT DISTINCT CASE u.class \
            WHEN \(number("pg_class")) THEN (SELECT l.relowner FROM pg_catalog.pg_class l WHERE l.oid = u.id) \
            WHEN \(number("pg_proc")) THEN (SELECT f.proowner FROM pg_catalog.pg_proc f WHERE f.oid = u.id) \
            WHEN \(number("pg_operator")) THEN (SELECT o.oprowner FROM pg_catalog.pg_operator o WHERE o.oid = u.id) \
            WHEN \(number("pg_type")) THEN (SELECT y.typowner FROM pg_catalog.pg_type y WHERE y.oid = u.id) \
            WHEN \(number("pg_foreign_server")) THEN (SELECT e.srvowner FROM pg_catalog.pg_foreign_server e WHERE e.oid = u.id) \
            END FROM u) v (owner) WHERE v.owner IS NOT NULL AND NOT (\(isTrusted("v.owner", ofTable: table))))
            """
    }

    /// Returns a condition on the triggers of a table and its partitions, beside that on code: they run no text in their conditions,
    /// and there are none if others may create triggers, which have no owner. Partitions are not locked with their table, so that
    /// others must not be able to create one there.
    package static func trustsTriggers(ofTable table: String) -> String {
        """
        NOT EXISTS (\(relations(of: table, withReferences: true)) \
        SELECT FROM r JOIN pg_catalog.pg_trigger pt ON pt.tgrelid = r.id, \
        pg_catalog.regexp_matches(pt.tgqual::text, ':funcid ([0-9]+)', 'g') pm \
        JOIN pg_catalog.pg_proc pf ON pf.oid = pm[1]::oid \
        WHERE NOT pt.tgisinternal AND (pf.provolatile = 'v' OR pf.proname LIKE '%\\_to\\_xml%')) \
        AND NOT EXISTS (\(relations(of: table, withReferences: true)) \
        SELECT FROM r JOIN pg_catalog.pg_class pc ON pc.oid = r.id, pg_catalog.aclexplode(pc.relacl) pa \
        WHERE pa.privilege_type = 'TRIGGER' AND NOT (\(isTrusted("pa.grantee", ofTable: table))) \
        AND ((SELECT count(*) FROM r) > 1 OR EXISTS (SELECT FROM pg_catalog.pg_trigger pt \
        WHERE pt.tgrelid = r.id AND NOT pt.tgisinternal)))
        """
    }

    private static func parts(of table: String) -> String {
        """
        WITH RECURSIVE p AS (SELECT \(table) AS id UNION SELECT i.inhrelid \
        FROM pg_catalog.pg_inherits i JOIN p ON i.inhparent = p.id)
        """
    }

    /// Returns the beginning of a query for a table, its parts, and the relations that their rules and policies use; also for those
    /// whose rows a change of this one changes as well, with their triggers.
    private static func relations(of table: String, withReferences hasReferences: Bool) -> String {
        let references =
            "UNION ALL SELECT k.conrelid FROM pg_catalog.pg_constraint k WHERE k.confrelid = r.id AND k.confupdtype IN ('c', 'n', 'd') "
        return """
            WITH RECURSIVE r AS (SELECT \(table) AS id UNION SELECT n.id FROM r, LATERAL (\
            SELECT i.inhrelid FROM pg_catalog.pg_inherits i WHERE i.inhparent = r.id \
            UNION ALL SELECT d.refobjid FROM pg_catalog.pg_rewrite w JOIN pg_catalog.pg_depend d ON d.objid = w.oid \
            AND d.classid = \(number("pg_rewrite")) AND d.refclassid = \(number("pg_class")) WHERE w.ev_class = r.id \
            \(hasReferences ? references : "")\
            UNION ALL SELECT d.refobjid FROM pg_catalog.pg_policy y JOIN pg_catalog.pg_depend d ON d.objid = y.oid \
            AND d.classid = \(number("pg_policy")) AND d.refclassid = \(number("pg_class")) WHERE y.polrelid = r.id) n (id))
            """
    }

    private static func number(_ catalog: String) -> String {
        "'pg_catalog.\(catalog)'::pg_catalog.regclass::oid"
    }
}
