// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal
import Glibc

/// The file with the key of the links of a single server, beside its users or passkeys. Each start replaces it: a server whose stores
/// are in memory could not know which links were used before. The server has locked it for as long as it runs.
struct LinkKeyFile: Sendable {
    private static let keyByteCount = AccountConfiguration.keyByteCount

    private let name: FileArgument

    /// Names the file.
    ///
    /// - Parameter file: The file of the users or passkeys.
    init(beside file: FileArgument) { name = FileArgument(bytes: file.bytes + ".key".utf8) }

    /// Whether there is one: a server has run.
    var exists: Bool { ServerMocks.exists(name) }

    /// Throws if the file could not be written.
    func checkPlace() throws(CommandFailure) {
        // It has no name, and is gone at once.
        _ = try OutputFile(name, mode: 0o600)
    }

    /// Returns the key; `nil` if there is no file.
    func read() throws -> SecretBytes? {
        guard exists else { return nil }
        let bytes = try ServerFile.read(name, upTo: Self.keyByteCount)
        guard bytes.count == Self.keyByteCount else {
            throw CommandFailure(
                .malformed,
                "\(quoted): it is not a key of a server: restart the server, which replaces it"
            )
        }
        return try SecretBytes(bytes)
    }

    /// Throws unless the server that has written the key runs: no other one would accept a link.
    func requireServer() throws(CommandFailure) {
        guard exists else {
            throw CommandFailure(
                .unavailable,
                "\(quoted): there is none, so the server has not run: start it, and try again"
            )
        }
        guard isInUse else {
            throw CommandFailure(
                .unavailable,
                "\(quoted): no server runs that would accept the link: start it, and try again"
            )
        }
    }

    private var quoted: String { name.quotedForMessage }

    private var isInUse: Bool {
        let file = open(name.bytes.map { CChar(bitPattern: $0) } + [0], O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { return false }
        defer { close(file) }
        return flock(file, LOCK_SH | LOCK_NB) != 0
    }

    /// Writes the key, and locks the file until this process ends.
    func write(_ key: SecretBytes) throws(CommandFailure) {
        let output = try OutputFile(name, mode: 0o600)
        try output.lockUntilExit()
        try output.write(key.withSecretBytes { bytes in bytes.indices.map { bytes[$0] } })
        try output.commit()
    }
}
