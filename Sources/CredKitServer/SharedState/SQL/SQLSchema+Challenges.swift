// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SQLSchema {
    /// Remembers, lists and consumes challenges.
    static let challenges = """
        CREATE OR REPLACE FUNCTION {s}.remember(p_client bytea, p_challenge bytea, p_lifetime bigint, p_limit bigint)
        RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          answered bigint;
        BEGIN
          PERFORM {s}.hold({s}.slot(p_client));
          answered := {s}.moment();
          DELETE FROM {s}.challenges c WHERE c.client = p_client AND c.ends <= answered;
          DELETE FROM {s}.challenges c WHERE c.number IN (
            SELECT o.number FROM {s}.challenges o WHERE o.client = p_client ORDER BY o.number DESC OFFSET p_limit - 1
          );
          INSERT INTO {s}.challenges (client, challenge, ends) VALUES (p_client, p_challenge, answered + p_lifetime);
          RETURN answered;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.challenges_of(p_client bytea)
        RETURNS TABLE (answered bigint, challenge bytea)
        LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
          SELECT n.answered, c.challenge FROM (SELECT {s}.moment() AS answered OFFSET 0) n
          LEFT JOIN {s}.challenges c ON c.client = p_client AND c.ends > n.answered ORDER BY c.number
        $$;
        CREATE OR REPLACE FUNCTION {s}.consume(p_client bytea, p_challenge bytea)
        RETURNS TABLE (answered bigint, consumed bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          latest bigint;
        BEGIN
          WITH gone AS (
            DELETE FROM {s}.challenges c WHERE c.client = p_client AND c.challenge = p_challenge RETURNING c.ends
          )
          SELECT max(gone.ends) INTO latest FROM gone;
          answered := {s}.moment();
          consumed := CASE WHEN latest > answered THEN 1 ELSE 0 END;
          RETURN NEXT;
        END $$;
        """
}
