// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitPostgreSQL

/// The URL of the engine of a shared state.
enum StateAddress {
    case redis(RedisAddress)
    /// The URI, as libpq reads it.
    case postgreSQL(String)

    init(_ text: String) throws(RedisAddress.Failure) {
        guard text.hasPrefix("postgresql://") || text.hasPrefix("postgres://") else {
            self = .redis(try RedisAddress(text))
            return
        }
        guard !PostgreSQLSettings.containsPassword(text) else {
            throw RedisAddress.Failure(
                "it contains a password, which other users can see; use --state-password-file"
            )
        }
        self = .postgreSQL(text)
    }
}
