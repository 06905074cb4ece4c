// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitPostgreSQL
import CredKitServer
import CredKitTerminal

// What the options name, read from its files.
extension StateOptions {
    /// Reads the key of the shared state.
    ///
    /// - Throws: ``CommandFailure`` if the file cannot be read or the key is too short.
    func configuration() throws -> SharedStateConfiguration {
        let key = try secret(stateKeyFile, prompt: "Key of the shared state: ", keepsLineFeed: true)
        do throws(LoginServerError) {
            return try SharedStateConfiguration(key: key)
        } catch {
            throw CommandFailure(
                .malformed,
                "\(stateKeyFile?.quotedForMessage ?? "--state-key-file"): a key has from 32 to 65536 random bytes"
            )
        }
    }

    /// Connects to the engine.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be read or is malformed.
    func engine() async throws -> any StateEngine {
        switch try address() {
        case .redis(let address): return await RedisStateEngine(try settings(address))
        case .postgreSQL(let url):
            let settings = try settings(url)
            do throws(SharedStateError) {
                return try PostgreSQLStateEngine(settings)
            } catch {
                throw CommandFailure(
                    error.code == .missingLibrary ? .unavailable : .malformed,
                    "--state: \(error)"
                )
            }
        }
    }

    /// Returns how to reach PostgreSQL.
    func settings(_ url: String) throws -> PostgreSQLSettings {
        var settings = PostgreSQLSettings(url)
        settings.password = try password()
        settings.authorities = stateCA?.display
        settings.serverVerification = allowInsecureState ? .byConnectionString : .required
        settings.applicationName = "credkit-server"
        return settings
    }

    /// Returns how to reach Redis.
    func settings(_ address: RedisAddress) throws -> RedisSettings {
        let security: RedisSecurity
        if address.usesTLS {
            security = .tls(
                try RedisTLS(authorities: stateCA, certificate: stateClientCert, key: stateClientKey)
            )
        } else {
            security = allowInsecureState ? .unencrypted : .unencryptedOnThisMachine
        }
        return try RedisSettings(
            address: address,
            security: security,
            user: stateUser ?? address.user,
            password: password()
        )
    }

    private func password() throws -> SecretBytes? {
        try statePasswordFile.map { file in
            let password = try secret(
                file,
                prompt: "Password of the shared state's engine: ",
                keepsLineFeed: false
            )
            guard !password.isEmpty else {
                throw CommandFailure(.malformed, "\(file.quotedForMessage): the password is empty")
            }
            return password
        }
    }

    private func secret(_ file: FileArgument?, prompt: String, keepsLineFeed: Bool) throws -> SecretBytes {
        try SecretReader(file: file, descriptor: nil, option: "", prompt: prompt).readAll(
            keepsLineFeed: keepsLineFeed
        )
    }
}
