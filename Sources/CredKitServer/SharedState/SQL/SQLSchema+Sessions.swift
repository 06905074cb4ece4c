// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SQLSchema {
    /// Creates, finds and ends sessions. What creates or ends sessions of a user holds the user's lock, so that the end of all
    /// sessions sees each one that was created before.
    static let sessions = """
        CREATE OR REPLACE FUNCTION {s}.create_session(
          p_session bytea, p_user bytea, p_name bytea, p_ends bigint, p_idle bigint, p_limit bigint
        ) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          answered bigint;
        BEGIN
          PERFORM {s}.hold({s}.slot(p_user));
          answered := {s}.moment();
          DELETE FROM {s}.sessions s WHERE s.session = p_session;
          DELETE FROM {s}.sessions s WHERE s.user_key = p_user AND least(s.ends, s.last_use + s.idle) <= answered;
          DELETE FROM {s}.sessions s WHERE s.session IN (
            SELECT o.session FROM {s}.sessions o WHERE o.user_key = p_user ORDER BY o.number DESC OFFSET p_limit - 1
          );
          INSERT INTO {s}.sessions (session, user_key, user_name, ends, idle, last_use)
            VALUES (p_session, p_user, p_name, answered + p_ends, p_idle, answered);
          RETURN answered;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.user_of(p_session bytea)
        RETURNS TABLE (answered bigint, user_name bytea)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          used bigint;
          step bigint;
        BEGIN
          answered := {s}.moment();
          SELECT s.user_name, s.last_use, least(s.idle / 8, 60000000) INTO user_name, used, step
            FROM {s}.sessions s
            WHERE s.session = p_session AND answered < s.ends AND answered < s.last_use + s.idle;
          IF FOUND AND answered > used + step THEN
            -- A crash may lose this, so that nothing has to wait for the disk.
            PERFORM set_config('synchronous_commit', 'off', true);
            UPDATE {s}.sessions s SET last_use = answered WHERE s.session = p_session AND s.last_use < answered;
          END IF;
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.revoke(p_session bytea) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          DELETE FROM {s}.sessions s WHERE s.session = p_session;
          RETURN {s}.moment();
        END $$;
        CREATE OR REPLACE FUNCTION {s}.revoke_all(p_user bytea) RETURNS bigint
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          PERFORM {s}.hold({s}.slot(p_user));
          DELETE FROM {s}.sessions s WHERE s.user_key = p_user;
          RETURN {s}.moment();
        END $$;
        """
}
