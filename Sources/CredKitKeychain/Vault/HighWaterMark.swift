// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
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

    /// The mark of a vault, if there is one. One that makes no sense is none: a mark may be half written after a loss of
    /// power.
    static func read(vaultIdentifier: [UInt8], in directory: String) -> HighWaterMark? {
        guard let directory = try? PrivateDirectory(directory, isCreated: false),
            let file = try? directory.open(name(vaultIdentifier), O_RDONLY),
            let bytes = try? file.readAll(limit: 200)
        else { return nil }
        let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
            .map { String(decoding: $0, as: UTF8.self) }
        guard words.count >= 3, let generation = UInt64(words[words.count - 3]),
            let digest = MessageDigest<32>(hex: words[words.count - 2])
        else { return nil }
        let mark = HighWaterMark(generation: generation, digest: digest)
        return mark.bytes == bytes ? mark : nil
    }

    private init(generation: UInt64, digest: MessageDigest<32>) {
        self.generation = generation
        self.digest = digest
    }

    /// Keeps the mark; whether it could be kept. The vault's lock must be held.
    ///
    /// It always has the same size and is written in place, by one call.
    @discardableResult
    func write(vaultIdentifier: [UInt8], in directory: String) -> Bool {
        guard let directory = try? PrivateDirectory(directory, isCreated: true),
            let file = try? directory.open(Self.name(vaultIdentifier), O_WRONLY | O_CREAT, mode: 0o600)
        else { return false }
        return (try? file.writeAll(bytes, "")) != nil
    }

    private var bytes: [UInt8] {
        let number = String(generation)
        let zeros = String(repeating: "0", count: 20 - number.utf8.count)
        let body = "\(Self.title)\n\(zeros)\(number) \(digest.hex) "
        // A reader that meets a writer may see half of each: the check tells.
        return Array("\(body)\(SHA256.hash(data: body.utf8).hex)\n".utf8)
    }

    private static func name(_ vaultIdentifier: [UInt8]) -> String { Hex.encode(vaultIdentifier) + ".mark" }
}
