// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import Glibc

/// The newest state of a vault that this account has seen: its generation, and the digest of its header.
///
/// It is stored in the state directory (`VaultConfiguration.resolvedStateDirectory`, by default
/// `~/.local/state/credkit/vaults`), separate from the vault, so that a rollback to an older copy is detected. It
/// detects accidents and simple attacks: an attacker who can also write to the state directory can roll back both. It
/// is not synchronized to the disk: a mark that is lost in a power failure, or is older than the vault, causes no
/// error.
struct RollbackMark: Sendable, Equatable {
    private static let title = "CredKit vault mark 1"

    let generation: UInt64
    let digest: MessageDigest<32>

    init(generation: UInt64, headerBytes: [UInt8]) {
        self.generation = generation
        digest = SHA256.hash(data: headerBytes)
    }

    /// Reads the mark of a vault, if there is one. A malformed mark is ignored: it may be half written after a power
    /// loss.
    static func read(vaultIdentifier: [UInt8], in directory: PrivateDirectory) -> RollbackMark? {
        guard let file = try? directory.open(name(vaultIdentifier), O_RDONLY),
            let bytes = try? file.readAll(limit: 200)
        else { return nil }
        let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count >= 3, let generation = UInt64(words[words.count - 3]),
            let digest = MessageDigest<32>(hex: words[words.count - 2])
        else { return nil }
        let mark = RollbackMark(generation: generation, digest: digest)
        return mark.bytes == bytes ? mark : nil
    }

    private init(generation: UInt64, digest: MessageDigest<32>) {
        self.generation = generation
        self.digest = digest
    }

    /// Saves the mark, if it can be written, and there is none of this or a newer generation.
    ///
    /// The mark always has the same size and is written in place, with one call.
    func raise(vaultIdentifier: [UInt8], in directory: PrivateDirectory) {
        guard let file = try? directory.open(Self.name(vaultIdentifier), O_WRONLY | O_CREAT, mode: 0o600),
            // Programs that raise it at the same time take turns. Closing the descriptor releases the lock.
            flock(file.number, LOCK_EX) == 0,
            (Self.read(vaultIdentifier: vaultIdentifier, in: directory)?.generation ?? 0) < generation
        else { return }
        try? file.writeAll(bytes, "")
    }

    private var bytes: [UInt8] {
        let number = String(generation)
        let zeros = String(repeating: "0", count: 20 - number.utf8.count)
        let body = "\(Self.title)\n\(zeros)\(number) \(digest.hex) "
        // A reader that runs at the same time as a writer may read half of each; the checksum detects this.
        return Array("\(body)\(SHA256.hash(data: body.utf8).hex)\n".utf8)
    }

    static func name(_ vaultIdentifier: [UInt8]) -> String { Hex.encode(vaultIdentifier) + ".mark" }
}
