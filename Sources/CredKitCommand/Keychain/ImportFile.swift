// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTerminal

/// A file with items, in one of the formats that are recognised by their first bytes.
struct ImportFile {
    /// As much as a vault may have.
    private static let maximumByteCount = 256 << 20

    private let bytes: [UInt8]
    private let name: String

    init(_ file: FileArgument) throws {
        name = file.quoted
        var bytes: [UInt8] = []
        do {
            try InputFile(file).forEachChunk { chunk in
                guard bytes.count + chunk.count <= Self.maximumByteCount else {
                    throw CommandFailure(.malformed, "\(file.quoted): too large")
                }
                for index in chunk.indices { bytes.append(chunk[index]) }
            }
        } catch let error as FileError {
            throw CommandFailure(.inputOutput, "\(file.quoted): \(error.message)")
        }
        self.bytes = bytes
    }

    /// The items; `passphrase` is asked for it where the format is encrypted.
    func credentials(passphrase: () throws -> SecretBytes) throws -> [Credential] {
        if VaultArchive.isArchive(bytes) { return try VaultArchive.open(bytes, passphrase: passphrase()) }
        if LibsecretKeyringFile.isKeyring(bytes) {
            return try LibsecretKeyringFile.read(bytes, password: passphrase())
        }
        if bytes.first == UInt8(ascii: "{") { return try CredentialsJSON.decode(SecretBytes(bytes)) }
        throw CommandFailure(
            .malformed,
            "\(name): neither an archive, nor an export of a keychain as JSON, nor a keyring of libsecret"
        )
    }
}
