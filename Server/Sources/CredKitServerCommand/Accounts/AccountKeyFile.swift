// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

/// The file with the key of the links of a single server, beside its users file. Each start replaces it: a server whose stores are in
/// memory could not know which links were used before.
struct AccountKeyFile: Sendable {
    private let name: FileArgument

    /// Names the file.
    ///
    /// - Parameter users: The users file.
    init(beside users: FileArgument) { name = FileArgument(bytes: users.bytes + ".key".utf8) }

    /// The name, for messages.
    var quoted: String { name.quotedForMessage }

    /// Returns the key; `nil` if there is no file.
    func read() throws -> SecretBytes? {
        guard ServerMocks.exists(name) else { return nil }
        let bytes = try ServerFile.read(name, upTo: AccountConfiguration.keyByteCount)
        guard bytes.count == AccountConfiguration.keyByteCount else {
            throw CommandFailure(.malformed, "\(quoted): it is not a key of a server that runs")
        }
        return try SecretBytes(bytes)
    }

    /// Writes the key.
    func write(_ key: SecretBytes) throws(CommandFailure) {
        let output = try OutputFile(name, mode: 0o600)
        try output.write(key.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } })
        try output.commit()
    }
}
