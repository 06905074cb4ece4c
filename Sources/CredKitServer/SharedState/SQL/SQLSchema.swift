// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The tables and functions of a shared state in PostgreSQL 13 or newer, as a script for psql.
///
/// ```swift
/// print(SQLSchema(configuration).script(role: "credkit_server"))       // … | psql --dbname=…
/// ```
///
/// The owner of the schema, who runs the script, must not be the role of the servers. This role may only call the functions: it
/// can neither list the sessions of all users nor remove what was used. The script can run again at any time.
public struct SQLSchema: Sendable {
    /// The version of the schema that this version of CredKit needs.
    static let version: Int64 = 1

    private let namespace: String
    private let name: String
    private let milliseconds: Int64

    /// Creates a schema.
    ///
    /// - Parameter configuration: What all servers agree on. Its key is not used.
    public init(_ configuration: SharedStateConfiguration) {
        namespace = configuration.namespace
        name = "\"\(namespace)\""
        milliseconds = max(1, configuration.timeLimit.microseconds / 1000)
    }

    /// Returns the script: one transaction with the tables, the functions, the rights and the time limits of the servers' role.
    ///
    /// The time limits belong to the role, since pgbouncer refuses them as options of a connection.
    ///
    /// - Parameter role: The role of the servers, which must exist.
    /// - Returns: The script.
    public func script(role: String) -> String {
        let roleName = role.filter { $0 != "\0" }
        let literal = "'\(roleName.replacing("'", with: "''"))'"
        let role = "\"\(roleName.replacing("\"", with: "\"\""))\""
        let grants = SQLFunction.allCases.map {
            "GRANT EXECUTE ON FUNCTION \(name).\($0.signature) TO \(role);"
        }
        let limits = ["statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"]
        return [
            "BEGIN;",
            "SET LOCAL search_path = pg_catalog, pg_temp; SET LOCAL client_min_messages = warning; SET LOCAL lock_timeout = '10s';",
            "SET LOCAL standard_conforming_strings = on; SET LOCAL credkit.role = \(literal);",
            "CREATE SCHEMA IF NOT EXISTS \(name);",
            ownership,
            shape,
            definitions,
            "REVOKE ALL ON SCHEMA \(name) FROM PUBLIC;",
            "REVOKE ALL ON ALL FUNCTIONS IN SCHEMA \(name) FROM PUBLIC;",
            "GRANT USAGE ON SCHEMA \(name) TO \(role);",
            "GRANT SELECT ON \(name).version TO \(role);",
            grants.joined(separator: "\n"),
            // Again: what was there before these statements stays as it is, and could have been made meanwhile.
            ownership,
            limits.map { "ALTER ROLE \(role) SET \($0) = '\(milliseconds)ms';" }.joined(separator: "\n"),
            "COMMIT;",
        ]
        .joined(separator: "\n") + "\n"
    }

    /// Fails if another role owns the schema or something in it, may create something in it, or has attached something to one of
    /// its tables: it could replace what the servers call, or run triggers (CVE-2022-2625).
    private var ownership: String {
        """
        DO $ownership$
        DECLARE
          foreign_object text;
        BEGIN
          SELECT o.what || ' belongs to ' || pg_get_userbyid(o.owner) INTO foreign_object FROM (
            SELECT 'the schema', n.nspowner FROM pg_namespace n WHERE n.nspname = {n}
            UNION ALL SELECT c.relname, c.relowner FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
              WHERE n.nspname = {n}
            UNION ALL SELECT p.proname, p.proowner FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
              WHERE n.nspname = {n}
            UNION ALL SELECT t.typname, t.typowner FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
              WHERE n.nspname = {n}
            UNION ALL SELECT r.oprname, r.oprowner FROM pg_operator r JOIN pg_namespace n ON n.oid = r.oprnamespace
              WHERE n.nspname = {n}
            -- Another role could put something between this check and what follows.
            UNION ALL SELECT 'the right to CREATE', a.grantee FROM pg_namespace n, aclexplode(n.nspacl) a
              WHERE n.nspname = {n} AND a.privilege_type = 'CREATE' AND a.grantee <> n.nspowner
            UNION ALL SELECT 'the right to ' || a.privilege_type || ' on ' || c.relname, a.grantee
              FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace,
                LATERAL (SELECT c.relacl UNION ALL SELECT attacl FROM pg_attribute WHERE attrelid = c.oid) l (acl),
                aclexplode(l.acl) a
              WHERE n.nspname = {n} AND a.privilege_type NOT IN ('SELECT', 'USAGE') AND a.grantee <> c.relowner
            -- The functions run with the rights of their owner.
            UNION ALL SELECT 'the right to EXECUTE ' || p.proname, a.grantee
              FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace, aclexplode(p.proacl) a
              WHERE n.nspname = {n} AND a.grantee <> p.proowner
                AND (a.grantee = 0 OR pg_get_userbyid(a.grantee) <> current_setting('credkit.role')::name)
          ) AS o (what, owner) WHERE o.owner = 0 OR pg_get_userbyid(o.owner) <> current_user LIMIT 1;
          IF NOT FOUND THEN
            -- A change of its owner leaves what another role has attached to a table.
            SELECT o.what || ' is not one of this script' INTO foreign_object FROM (
              SELECT 'the trigger ' || t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
                JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {n} AND NOT t.tgisinternal
              UNION ALL SELECT 'the rule ' || r.rulename FROM pg_rewrite r JOIN pg_class c ON c.oid = r.ev_class
                JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {n}
              UNION ALL SELECT 'the policy ' || p.polname FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
                JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = {n}
            ) AS o (what) LIMIT 1;
          END IF;
          IF FOUND THEN
            RAISE EXCEPTION 'in the schema %, %: stop all servers and drop the schema, or revoke the right (also by ALTER DEFAULT PRIVILEGES)',
              {n}, foreign_object
              USING ERRCODE = 'insufficient_privilege';
          END IF;
        END $ownership$;
        """
        .replacing("{n}", with: "'\(namespace)'")
    }

    /// Fails if a table differs from that of this script, which is made as a temporary one to compare them, or if something outside
    /// of the schema depends on something in it, or the other way round. Another role could have made it before a change of its
    /// owner: checks, defaults, expressions, foreign keys and statistics run with the rights of the role that changes a row.
    private var shape: String {
        let names = Self.tables.matches(of: /EXISTS \{s\}\.(\w+) \(/).map { "pg_temp.\($0.1)" }
        return """
            {tables}
            DO $shape$
            DECLARE
              foreign_object text;
            BEGIN
              WITH t AS (
                SELECT c.*, n.nspname = '{n}' AS is_present FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                WHERE (n.nspname = '{n}' OR n.oid = pg_my_temp_schema()) AND c.relkind <> 'i'
              ), described AS (
                SELECT is_present, relname, 'the table' AS part, concat_ws(' ', relkind, relrowsecurity, relispartition, reloftype,
                  relreplident, relkind = 'r' AND is_present AND (relpersistence = 'u') <> (relname = 'challenges')) AS form FROM t
                UNION ALL SELECT is_present, relname, 'the sequence', concat_ws(' ', seqtypid, seqstart, seqincrement, seqmax, seqmin,
                  seqcycle) FROM t JOIN pg_sequence ON seqrelid = t.oid
                UNION ALL SELECT is_present, relname, 'the column ' || attname,
                  concat_ws(' ', atttypid, atttypmod, attcollation, attnotnull, attidentity, attgenerated, pg_get_expr(adbin, adrelid))
                  FROM t JOIN pg_attribute ON attrelid = t.oid AND attnum > 0 AND NOT attisdropped
                  LEFT JOIN pg_attrdef ON adrelid = t.oid AND adnum = attnum
                UNION ALL SELECT is_present, relname, 'the constraint ' || conname,
                  concat_ws(' ', contype, conkey, pg_get_constraintdef(k.oid)) FROM t JOIN pg_constraint k ON conrelid = t.oid
                UNION ALL SELECT is_present, t.relname, 'the index ' || x.relname,
                  concat_ws(' ', i.indisunique, i.indkey, i.indclass, i.indcollation, pg_get_expr(i.indexprs, t.oid),
                    'where', pg_get_expr(i.indpred, t.oid), x.relam)
                  FROM t JOIN pg_index i ON i.indrelid = t.oid JOIN pg_class x ON x.oid = i.indexrelid
              ), present AS (
                SELECT p.relname FROM t p JOIN t o ON o.relname = p.relname WHERE p.is_present AND NOT o.is_present
              ), own AS (
                SELECT 'pg_namespace'::regclass AS class, n.oid AS id FROM pg_namespace n WHERE n.nspname = '{n}'
                UNION ALL SELECT 'pg_class'::regclass, c.oid FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
                  WHERE n.nspname = '{n}'
                UNION ALL SELECT 'pg_type'::regclass, y.oid FROM pg_type y JOIN pg_namespace n ON n.oid = y.typnamespace
                  WHERE n.nspname = '{n}'
                UNION ALL SELECT 'pg_proc'::regclass, f.oid FROM pg_proc f JOIN pg_namespace n ON n.oid = f.pronamespace
                  WHERE n.nspname = '{n}'
                UNION ALL SELECT 'pg_constraint'::regclass, k.oid FROM pg_constraint k JOIN pg_namespace n ON n.oid = k.connamespace
                  WHERE n.nspname = '{n}'
                UNION ALL SELECT 'pg_attrdef'::regclass, e.oid FROM pg_attrdef e JOIN pg_class c ON c.oid = e.adrelid
                  JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = '{n}'
              )
              SELECT o.what INTO foreign_object FROM (
                (SELECT d.part || ' of ' || d.relname FROM described d WHERE d.relname IN (SELECT relname FROM present)
                  GROUP BY d.relname, d.part, d.form HAVING count(DISTINCT d.is_present) = 1)
                UNION ALL SELECT pg_describe_object(d.classid, d.objid, d.objsubid) || ', which uses '
                    || pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
                  FROM pg_depend d
                  WHERE (EXISTS (SELECT FROM own WHERE own.class = d.classid AND own.id = d.objid)
                    <> EXISTS (SELECT FROM own WHERE own.class = d.refclassid AND own.id = d.refobjid))
                  AND d.refclassid <> 'pg_language'::regclass
                  AND NOT EXISTS (SELECT FROM pg_class c WHERE d.classid = 'pg_class'::regclass AND c.oid = d.objid AND c.relkind = 't')
              ) AS o (what) LIMIT 1;
              IF FOUND THEN
                RAISE EXCEPTION 'in the schema {n}, % is not one of this script: drop it; if the schema was another role''s, stop all servers and drop that',
                  foreign_object USING ERRCODE = 'insufficient_privilege';
              END IF;
            END $shape$;
            DROP TABLE {names};
            """
            .replacing("{n}", with: namespace).replacing("{tables}", with: Self.temporaryTables)
            .replacing("{names}", with: names.joined(separator: ", "))
    }

    private static var temporaryTables: String {
        tables.replacing("UNLOGGED ", with: "").replacing("CREATE TABLE", with: "CREATE TEMPORARY TABLE")
            .replacing("{s}", with: "pg_temp")
    }

    private var definitions: String {
        let parts = [
            Self.tables, Self.locks, Self.history, Self.marking, Self.rates, Self.challenges, Self.sessions,
            Self.completing,
            Self.counters, Self.passkeys, Self.purging,
            """
            INSERT INTO {s}.version AS v (version) VALUES (\(Self.version))
              ON CONFLICT (one) DO UPDATE SET version = excluded.version WHERE v.version < excluded.version;
            """,
        ]
        return parts.joined(separator: "\n").replacing("{s}", with: name)
    }
}

/// A function of the schema that servers call.
enum SQLFunction: String, CaseIterable {
    case mark, complete, charge, reset, remember, consume, revoke, advance, purge
    case challengesOf = "challenges_of"
    case createSession = "create_session"
    case userOf = "user_of"
    case revokeAll = "revoke_all"
    case revokeOthers = "revoke_others"
    case sessionsOf = "sessions_of"
    case counterOf = "counter_of"
    case passkey
    case passkeyHandle = "passkey_handle"
    case passkeyOwner = "passkey_owner"
    case passkeysOf = "passkeys_of"
    case addPasskey = "add_passkey"
    case usePasskey = "use_passkey"
    case renamePasskey = "rename_passkey"
    case removePasskey = "remove_passkey"
    case removePasskeys = "remove_passkeys"
    case passkeyState = "passkey_state"
    case requirePasskey = "require_passkey"

    /// The types of its parameters, as `pg_catalog` names them.
    var types: [String] {
        switch self {
        case .mark: ["bytea", "bytea"] + Array(repeating: "int8", count: 6)
        case .complete:
            Self.mark.types + ["bytea"] + Self.createSession.types
        case .charge: ["bytea", "text", "int8"]
        case .remember: ["bytea", "bytea", "int8", "int8"]
        case .consume, .advance, .revokeOthers: ["bytea", "bytea"]
        case .createSession: ["bytea", "bytea", "bytea", "int8", "int8", "int8", "bytea"]
        case .purge: ["int8", "int8"]
        case .passkeyHandle, .renamePasskey: ["bytea", "bytea", "bytea"]
        case .addPasskey:
            Array(repeating: "bytea", count: 5) + ["int8", "int8", "bytea", "bytea", "int8", "int8", "int8"]
        case .usePasskey: ["bytea", "bytea"] + Array(repeating: "int8", count: 5)
        case .removePasskey: ["bytea", "bytea", "int8"]
        case .requirePasskey: ["bytea", "int8"]
        case .reset, .revoke, .challengesOf, .userOf, .revokeAll, .sessionsOf, .counterOf, .passkey,
            .passkeyOwner, .passkeysOf, .removePasskeys, .passkeyState:
            ["bytea"]
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
