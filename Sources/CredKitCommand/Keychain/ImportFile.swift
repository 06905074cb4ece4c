// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTerminal

/// A file with items, in one of the formats that are identified by their first bytes.
struct ImportFile {
    /// The maximum file size, the same as for a vault.
    private static let maximumByteCount = 256 << 20

    private let bytes: [UInt8]
    private let name: String

    init(_ file: FileArgument) throws {
        name = file.quoted
        var bytes: [UInt8] = []
        do {
            try InputFile(file).forEachChunk { chunk in
                guard bytes.count + chunk.count <= Self.maximumByteCount else {
                    throw CommandFailure(
                        .malformed,
                        "\(file.quoted): longer than \(Self.maximumByteCount) bytes"
                    )
                }
                for index in chunk.indices { bytes.append(chunk[index]) }
            }
        } catch let error as FileError {
            throw CommandFailure(.inputOutput, "\(file.quoted): \(error.message)")
        }
        self.bytes = bytes
    }

    /// Returns the items. Calls `passphrase` only if the format is encrypted.
    func credentials(
        allowsCostlyKeyDerivation: Bool,
        timeout: Duration?,
        passphrase: () throws -> SecretBytes
    ) throws
        -> [Credential]
    {
        if VaultArchive.isArchive(bytes) {
            return try VaultArchive.decrypt(
                bytes,
                passphrase: passphrase(),
                allowsCostlyKeyDerivation: allowsCostlyKeyDerivation,
                timeout: timeout
            )
        }
        if LibsecretKeyringFile.isKeyring(bytes) {
            return try LibsecretKeyringFile.read(bytes, password: passphrase())
        }
        if bytes.first == UInt8(ascii: "{") { return try CredentialsJSON.decode(SecretBytes(bytes)) }
        throw CommandFailure(
            .malformed,
            "\(name): unrecognized format: not an archive, a JSON export of a keychain, or a libsecret keyring"
        )
    }
}
