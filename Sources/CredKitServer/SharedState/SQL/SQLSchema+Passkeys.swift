// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SQLSchema {
    /// Reads and changes passkeys. What depends on how many an account has holds the account's lock. The rules stand also in
    /// `PasskeyTable`.
    static let passkeys = """
        CREATE OR REPLACE FUNCTION {s}.passkey_handle(p_account bytea, p_name bytea, p_new bytea)
        RETURNS TABLE (answered bigint, result bytea)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          answered := \(moment);
          SELECT u.handle INTO result FROM {s}.passkey_users u WHERE u.account = p_account;
          IF result IS NULL THEN
            INSERT INTO {s}.passkey_users (account, name, handle) VALUES (p_account, p_name, p_new)
              ON CONFLICT (account) DO NOTHING;
            SELECT u.handle INTO STRICT result FROM {s}.passkey_users u WHERE u.account = p_account;
          END IF;
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.passkey_owner(p_handle bytea)
        RETURNS TABLE (answered bigint, result bytea)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          answered := \(moment);
          SELECT u.name INTO result FROM {s}.passkey_users u WHERE u.handle = p_handle;
          RETURN NEXT;
        END $$;
        \(readingOfAccount)
        \(readingByIdentifier)
        CREATE OR REPLACE FUNCTION {s}.add_passkey(
          p_account bytea, p_id bytea, p_handle bytea, p_key bytea, p_label bytea, p_count bigint, p_flags bigint,
          p_transports bytea, p_aaguid bytea, p_created bigint, p_used bigint, p_limit bigint
        ) RETURNS TABLE (answered bigint, outcome bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          \(hold("p_account"))
          IF NOT EXISTS (SELECT FROM {s}.passkey_users u WHERE u.account = p_account AND u.handle = p_handle)
            OR EXISTS (SELECT FROM {s}.passkeys p WHERE p.id = p_id) THEN
            outcome := 0;
          ELSIF (SELECT count(*) FROM {s}.passkeys p WHERE p.handle = p_handle) >= p_limit THEN
            outcome := 2;
          ELSE
            INSERT INTO {s}.passkeys (id, handle, public_key, label, sign_count, flags, transports, aaguid, created, last_use)
              VALUES (p_id, p_handle, p_key, p_label, p_count, p_flags, p_transports, p_aaguid, p_created, p_used)
              ON CONFLICT (id) DO NOTHING;
            outcome := CASE WHEN FOUND THEN 1 ELSE 0 END;
          END IF;
          answered := \(moment);
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.use_passkey(
          p_id bytea, p_key bytea, p_count bigint, p_flags bigint, p_new_count bigint, p_new_flags bigint, p_used bigint
        ) RETURNS TABLE (answered bigint, recorded bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          UPDATE {s}.passkeys p
            SET sign_count = p_new_count, flags = p_new_flags, last_use = greatest(p.last_use, p_used)
            WHERE p.id = p_id AND p.public_key = p_key AND p.sign_count = p_count AND p.flags = p_flags;
          recorded := CASE WHEN FOUND THEN 1 ELSE 0 END;
          answered := \(moment);
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.rename_passkey(p_account bytea, p_id bytea, p_label bytea)
        RETURNS TABLE (answered bigint, renamed bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          UPDATE {s}.passkeys p SET label = p_label FROM {s}.passkey_users u
            WHERE p.id = p_id AND u.account = p_account AND u.handle = p.handle;
          renamed := CASE WHEN FOUND THEN 1 ELSE 0 END;
          answered := \(moment);
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.remove_passkey(p_account bytea, p_id bytea, p_keeps bigint)
        RETURNS TABLE (answered bigint, outcome bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          owner_handle bytea;
          needed boolean;
        BEGIN
          \(hold("p_account"))
          SELECT u.handle, u.required INTO owner_handle, needed FROM {s}.passkey_users u WHERE u.account = p_account;
          IF NOT EXISTS (SELECT FROM {s}.passkeys p WHERE p.id = p_id AND p.handle = owner_handle) THEN
            outcome := 0;
          ELSIF (needed OR p_keeps <> 0)
            AND (SELECT count(*) FROM {s}.passkeys p WHERE p.handle = owner_handle) < 2 THEN
            outcome := 2;
          ELSE
            DELETE FROM {s}.passkeys p WHERE p.id = p_id AND p.handle = owner_handle;
            outcome := 1;
          END IF;
          answered := \(moment);
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.remove_passkeys(p_account bytea)
        RETURNS TABLE (answered bigint, removed bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          \(hold("p_account"))
          UPDATE {s}.passkey_users u SET required = false WHERE u.account = p_account;
          DELETE FROM {s}.passkeys p USING {s}.passkey_users u WHERE u.account = p_account AND p.handle = u.handle;
          GET DIAGNOSTICS removed = ROW_COUNT;
          answered := \(moment);
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.passkey_state(p_account bytea)
        RETURNS TABLE (answered bigint, present bigint, needed bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          answered := \(moment);
          SELECT count(p.id), coalesce(bool_or(u.required), false)::int INTO present, needed
            FROM {s}.passkey_users u LEFT JOIN {s}.passkeys p ON p.handle = u.handle WHERE u.account = p_account;
          RETURN NEXT;
        END $$;
        CREATE OR REPLACE FUNCTION {s}.require_passkey(p_account bytea, p_required bigint)
        RETURNS TABLE (answered bigint, stored bigint)
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        BEGIN
          \(hold("p_account"))
          UPDATE {s}.passkey_users u SET required = p_required <> 0 WHERE u.account = p_account
            AND (p_required = 0 OR EXISTS (SELECT FROM {s}.passkeys p WHERE p.handle = u.handle));
          stored := CASE WHEN FOUND OR p_required = 0 THEN 1 ELSE 0 END;
          answered := \(moment);
          RETURN NEXT;
        END $$;
        """

    private static let readingOfAccount = reading(
        "passkeys_of(p_account bytea)",
        "LEFT JOIN {s}.passkey_users u ON u.account = p_account LEFT JOIN {s}.passkeys p ON p.handle = u.handle"
    )

    private static let readingByIdentifier = reading(
        "passkey(p_id bytea)",
        "LEFT JOIN {s}.passkeys p ON p.id = p_id LEFT JOIN {s}.passkey_users u ON u.handle = p.handle"
    )

    /// Returns a function that reads passkeys, or one row without any.
    ///
    /// - Parameters:
    ///   - signature: Its name and parameter.
    ///   - source: The tables `u` of accounts and `p` of passkeys, joined to one row.
    /// - Returns: The function.
    private static func reading(_ signature: String, _ source: String) -> String {
        """
        CREATE OR REPLACE FUNCTION {s}.\(signature)
        RETURNS TABLE (
          answered bigint, id bytea, public_key bytea, handle bytea, name bytea, label bytea, sign_count bigint, flags bigint,
          transports bytea, aaguid bytea, created bigint, last_use bigint
        )
        LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
        DECLARE
          present bigint := \(moment);
        BEGIN
          RETURN QUERY SELECT present, p.id, p.public_key, p.handle, u.name, p.label, p.sign_count, p.flags, p.transports,
              p.aaguid, p.created, p.last_use
            FROM (VALUES (1)) one \(source) ORDER BY p.number;
        END $$;
        """
    }
}
