// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import Glibc

/// The newest state of a vault that this account has seen: its generation, and the digest of its header.
///
/// It stands in the state directory, apart from the vault, so that an older copy which is put back is noticed. It
/// notices accidents and simple attacks; whoever can write the state directory too can put back both. It is not
/// synchronised to the disk: a mark that is lost with the power, or older than the vault, accuses nobody.
struct HighWaterMark: Sendable, Equatable {
    private static let title = "CredKit vault mark 1"

    let generation: UInt64
    let digest: MessageDigest<32>

    init(generation: UInt64, headerBytes: [UInt8]) {
        self.generation = generation
        digest = SHA256.hash(data: headerBytes)
    }

    /// The mark of a vault, if there is one.
    static func read(vaultIdentifier: [UInt8], in directory: String) -> HighWaterMark? {
        guard let directory = try? PrivateDirectory(directory, isCreated: false),
            let file = try? directory.open(name(vaultIdentifier), O_RDONLY),
            let bytes = try? file.readAll(limit: 200)
        else { return nil }
        let lines = String(decoding: bytes, as: UTF8.self).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        guard lines.count == 3, lines[0] == title, lines[2].isEmpty else { return nil }
        let words = lines[1].split(separator: " ")
        guard words.count == 2, let generation = UInt64(words[0]),
            let digest = MessageDigest<32>(hex: words[1])
        else { return nil }
        return HighWaterMark(generation: generation, digest: digest)
    }

    private init(generation: UInt64, digest: MessageDigest<32>) {
        self.generation = generation
        self.digest = digest
    }

    /// Keeps the mark; whether it could be kept. The vault's lock must be held.
    @discardableResult
    func write(vaultIdentifier: [UInt8], in directory: String) -> Bool {
        guard let directory = try? PrivateDirectory(directory, isCreated: true) else { return false }
        let name = Self.name(vaultIdentifier)
        let newName = Self.unfinishedName(vaultIdentifier)
        let text = "\(Self.title)\n\(generation) \(digest.hex)\n"
        guard let file = try? directory.open(newName, O_WRONLY | O_CREAT | O_TRUNC, mode: 0o600) else {
            return false
        }
        guard (try? file.writeAll(Array(text.utf8), "")) != nil,
            directory.rename(newName, to: name) == 0
        else {
            directory.remove(newName)
            return false
        }
        return true
    }

    /// Removes what a killed writer left. The vault's lock must be held.
    static func removeLeftover(vaultIdentifier: [UInt8], in directory: String) {
        guard let directory = try? PrivateDirectory(directory, isCreated: false) else { return }
        directory.remove(unfinishedName(vaultIdentifier))
    }

    private static func unfinishedName(_ vaultIdentifier: [UInt8]) -> String {
        "." + name(vaultIdentifier) + ".tmp"
    }

    private static func name(_ vaultIdentifier: [UInt8]) -> String { Hex.encode(vaultIdentifier) + ".mark" }
}
