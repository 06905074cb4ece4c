// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PostgreSQLServer {
    /// Settings with which ``names(inStatementsOf:)`` knows the statements.
    public static let recordsStatements = [
        "shared_preload_libraries": "pg_stat_statements", "pg_stat_statements.max": "5000",
    ]

    /// The functions and operators in the statements that roles have run: each word before a parenthesis, each run of operator
    /// characters.
    ///
    /// - Parameter roles: A condition on the role's name.
    /// - Returns: The names, some of which are none.
    /// - Throws: ``Failure``.
    public func names(inStatementsOf roles: String) throws -> (functions: Set<String>, operators: Set<String>)
    {
        try run("CREATE SCHEMA recorded; CREATE EXTENSION pg_stat_statements SCHEMA recorded")
        let texts = try run(
            """
            SELECT replace(replace(query, chr(10), ' '), chr(9), ' ') FROM recorded.pg_stat_statements
            WHERE userid IN (SELECT oid FROM pg_roles WHERE rolname \(roles))
            """
        )
        .map { $0[0] }
        var functions: Set<String> = []
        var operators: Set<String> = []
        for text in texts {
            for match in text.matches(of: /([a-z_][a-z_0-9]*) ?\(/) { functions.insert(String(match.1)) }
            let bare = text.replacing(/'[^']*'|"[^"]*"|\$\d+|::/, with: " ")
            for match in bare.matches(of: /[-+*\/<>=~!@#%^&|`?]+/) { operators.insert(String(match.0)) }
        }
        return (functions, operators)
    }

    /// Creates functions and operators of these names in the schema `public`, for all pairs of types, as another role can: each
    /// call is noted by ``calledDecoy()``. PostgreSQL prefers an exact one to its own for other types.
    ///
    /// - Parameters:
    ///   - names: The names. Those that PostgreSQL does not accept are left out.
    ///   - types: The names of the types.
    /// - Returns: The number of decoys.
    /// - Throws: ``Failure``.
    public func plantDecoys(
        _ names: (functions: Set<String>, operators: Set<String>),
        types: [String]
    ) throws -> Int {
        func list(_ values: some Sequence<String>) -> String {
            "ARRAY[" + values.map { "'\($0.replacing("'", with: "''"))'" }.joined(separator: ",")
                + "]::text[]"
        }
        let count = try run(
            """
            SET search_path = pg_catalog;
            CREATE SEQUENCE public.caught MINVALUE 0;
            GRANT ALL ON SEQUENCE public.caught TO PUBLIC;
            CREATE TABLE public.decoys (number int, what text);
            CREATE FUNCTION public.plant(what text, arguments text, is_operator boolean) RETURNS void LANGUAGE plpgsql
              SET search_path = pg_catalog AS $plant$
            DECLARE
              number int := (SELECT count(*) + 1 FROM public.decoys);
              name text := CASE WHEN is_operator THEN 'decoy_' || number ELSE quote_ident(what) END;
            BEGIN
              EXECUTE format('CREATE FUNCTION public.%s(%s) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN '
                'PERFORM pg_catalog.setval(''public.caught'', %s); RETURN true; END $$', name, arguments, number);
              IF is_operator THEN
                EXECUTE format('CREATE OPERATOR public.%s (LEFTARG = %s, RIGHTARG = %s, FUNCTION = public.%s)', what,
                  split_part(arguments, ', ', 1), split_part(arguments, ', ', 2), name);
              END IF;
              INSERT INTO public.decoys VALUES (number, what || '(' || arguments || ')');
            EXCEPTION WHEN syntax_error OR duplicate_function OR invalid_function_definition OR undefined_object
              OR insufficient_privilege OR invalid_parameter_value THEN NULL;
            END $plant$;
            SET client_min_messages = error;
            SELECT public.plant(o, a || ', ' || b, true) FROM unnest(\(list(names.operators))) o,
              unnest(\(list(types))) a, unnest(\(list(types))) b \\g /dev/null
            SELECT public.plant(f, a, false) FROM unnest(\(list(names.functions))) f,
              (SELECT '' UNION SELECT unnest(\(list(types))) UNION SELECT unnest(\(list(types))) || '[]'
                UNION SELECT a || ', ' || b FROM unnest(\(list(types))) a, unnest(\(list(types))) b
                UNION SELECT a || ', int8, int8' FROM unnest(\(list(types))) a
                UNION SELECT a || ', text, bool' FROM unnest(\(list(types))) a) s(a) \\g /dev/null
            CREATE FUNCTION public.note(number int) RETURNS boolean LANGUAGE plpgsql SET search_path = pg_catalog AS
              $$ BEGIN PERFORM setval('public.caught', number); RETURN true; END $$;
            DO $$ DECLARE t text; number int; BEGIN
              FOR t IN SELECT unnest(\(list(Self.decoyTypes))) LOOP
                number := (SELECT count(*) + 1 FROM public.decoys);
                EXECUTE format('CREATE DOMAIN public.%I AS pg_catalog.%I CHECK (public.note(%s))', t, t, number);
                INSERT INTO public.decoys VALUES (number, 'the type ' || t);
              END LOOP;
            END $$;
            SELECT count(*) FROM public.decoys;
            """
        )
        return Int(count.last?.first ?? "") ?? 0
    }

    /// A domain of the name of one of PostgreSQL's types runs its constraint when a value is converted to it.
    private static let decoyTypes = [
        "text", "bpchar", "varchar", "name", "uuid", "numeric", "bytea", "oid", "int4", "int8", "bool",
        "regclass",
    ]

    /// The decoy that was called last, also in a transaction that was not committed; `nil` if none was.
    public func calledDecoy() throws -> String? {
        try run(
            """
            SET search_path = pg_catalog;
            SELECT what FROM public.decoys, public.caught WHERE is_called AND last_value = number
            """
        )
        .first?.first
    }
}
