// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitKeychain
import CredKitTerminal
import Glibc

/// A file with items, in one of the formats that are identified by their content, or a folder of `pass`.
struct ImportFile {
    /// The maximum file size, the same as for a vault.
    private static let maximumByteCount = 256 << 20

    private let bytes: [UInt8]
    private let name: String
    private let folder: String?

    /// Whether the file has secrets that anyone who can read it has.
    private(set) var isUnencrypted = false

    /// Whether the file is a database of KeePass.
    var isDatabase: Bool { KeePassDatabase.isDatabase(bytes) }

    init(_ file: FileArgument) throws {
        name = file.quoted
        folder = try Self.folder(file)
        if folder != nil {
            bytes = []
            return
        }
        var bytes: [UInt8] = []
        do {
            let input = try InputFile(file)
            try input.refuseIfOthersCanChange()
            try input.forEachChunk { chunk in
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

    /// Returns the path of a folder; `nil` for a file.
    private static func folder(_ file: FileArgument) throws -> String? {
        var status = stat()
        guard stat(file.bytes.map { CChar(bitPattern: $0) } + [0], &status) == 0,
            status.st_mode & S_IFMT == S_IFDIR
        else { return nil }
        guard let path = String(validating: file.bytes, as: UTF8.self) else {
            throw CommandFailure(.inputOutput, "\(file.quoted): the name of the folder is not UTF-8")
        }
        return path
    }

    /// Reads a database of KeePass. An empty password beside a key file is none, and an empty one for the databases that have it:
    /// that is another key.
    private func database(
        password: SecretBytes,
        keyFile: SecretBytes?,
        allowsCostlyKeyDerivation: Bool,
        timeout: Duration?
    ) throws(KeychainError) -> PasswordImport {
        let passwords = keyFile != nil && password.isEmpty ? [nil, password] : [password]
        for candidate in passwords.dropLast() {
            do throws(KeychainError) {
                return try KeePassDatabase.read(
                    bytes,
                    password: candidate,
                    keyFile: keyFile,
                    allowsCostlyKeyDerivation: allowsCostlyKeyDerivation,
                    timeout: timeout
                )
            } catch {
                guard error == .wrongPassphrase else { throw error }
            }
        }
        return try KeePassDatabase.read(
            bytes,
            password: password,
            keyFile: keyFile,
            allowsCostlyKeyDerivation: allowsCostlyKeyDerivation,
            timeout: timeout
        )
    }

    /// Returns the items. Calls `passphrase` only if the format is encrypted.
    mutating func contents(
        keyFile: SecretBytes?,
        allowsCostlyKeyDerivation: Bool,
        timeout: Duration?,
        prompts: Bool,
        passphrase: () throws -> SecretBytes
    ) throws
        -> PasswordImport
    {
        if let folder { return try PassFolder(path: folder, prompts: prompts).read() }
        if VaultArchive.isArchive(bytes) {
            return PasswordImport(
                try VaultArchive.decrypt(
                    bytes,
                    passphrase: passphrase(),
                    allowsCostlyKeyDerivation: allowsCostlyKeyDerivation,
                    timeout: timeout
                )
            )
        }
        if isDatabase {
            return try database(
                password: passphrase(),
                keyFile: keyFile,
                allowsCostlyKeyDerivation: allowsCostlyKeyDerivation,
                timeout: timeout
            )
        }
        if LibsecretKeyringFile.isKeyring(bytes) {
            return PasswordImport(try LibsecretKeyringFile.read(bytes, password: passphrase()))
        }
        guard !bytes.starts(with: "PK\u{3}\u{4}".utf8) else {
            throw CommandFailure(
                .malformed,
                "\(name): a zip archive: extract it, and import the file 'export.data' if it is a .1pux of 1Password"
            )
        }
        guard !bytes.starts(with: [0xFF, 0xFE]), !bytes.starts(with: [0xFE, 0xFF]) else {
            throw CommandFailure(
                .malformed,
                "\(name): text in UTF-16: convert it with 'iconv -f UTF-16 -t UTF-8'"
            )
        }
        isUnencrypted = true
        let document = try SecretBytes(bytes)
        if PasswordFile.format(of: document) != nil { return try PasswordFile.read(document) }
        if bytes.first == UInt8(ascii: "{") { return PasswordImport(try CredentialsJSON.decode(document)) }
        throw CommandFailure(
            .malformed,
            "\(name): unrecognized format: not an archive, a JSON export of a keychain, a libsecret keyring, or a file of "
                + "\(PasswordFile.programs) with its header"
        )
    }
}
