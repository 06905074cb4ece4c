// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal
import Glibc

/// The file with the key of the links of a single server, beside its users file. Each start replaces it: a server whose stores are in
/// memory could not know which links were used before. The server has locked it for as long as it runs.
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

    /// Whether a server that has written the file runs.
    var isInUse: Bool {
        guard let file = opened() else { return false }
        defer { close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0
    }

    private func opened() -> Int32? {
        let file = open(name.bytes.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        return file < 0 ? nil : file
    }

    /// Writes the key, and locks the file until this process ends.
    func write(_ key: SecretBytes) throws(CommandFailure) {
        let output = try OutputFile(name, mode: 0o600)
        try output.write(key.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } })
        try output.commit()
        guard let file = opened(), flock(file, LOCK_EX | LOCK_NB) == 0 else {
            throw CommandFailure(
                .inputOutput,
                "\(quoted): it cannot be locked: \(String(cString: strerror(errno)))"
            )
        }
    }
}
