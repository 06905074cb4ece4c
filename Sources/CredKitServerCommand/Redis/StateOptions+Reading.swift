// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if Server
import CredKit
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

    /// Reads the password, and the certificates for TLS.
    ///
    /// - Throws: ``CommandFailure`` if a file cannot be read or is malformed.
    func redisSettings() throws -> RedisSettings {
        let address = try address()
        let security: RedisSecurity
        if address.usesTLS {
            security = .tls(
                try RedisTLS(authorities: stateCA, certificate: stateClientCert, key: stateClientKey)
            )
        } else {
            security = allowInsecureState ? .unencrypted : .unencryptedOnThisMachine
        }
        let password = try statePasswordFile.map { file in
            let password = try secret(file, prompt: "Password for Redis: ", keepsLineFeed: false)
            guard !password.isEmpty else {
                throw CommandFailure(.malformed, "\(file.quotedForMessage): the password is empty")
            }
            return password
        }
        return RedisSettings(
            address: address,
            security: security,
            user: stateUser ?? address.user,
            password: password
        )
    }

    private func secret(_ file: FileArgument?, prompt: String, keepsLineFeed: Bool) throws -> SecretBytes {
        try SecretReader(file: file, descriptor: nil, option: "", prompt: prompt).readAll(
            keepsLineFeed: keepsLineFeed
        )
    }
}
#endif
