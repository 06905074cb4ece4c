// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import Glibc

/// The vault that this account has used at a path: its identifier.
///
/// A mark says what was seen of one vault. Without this record, another vault in its place would be like a new one, and
/// a deleted one like one that never existed.
struct PathRecord: Sendable, Equatable {
    private static let title = "CredKit vault path 1"

    let vaultIdentifier: [UInt8]

    init(vaultIdentifier: [UInt8]) { self.vaultIdentifier = vaultIdentifier }

    /// Reads the record of a path, if there is one. A malformed record is ignored: it may be half written after a power
    /// loss.
    static func read(path: String, in directory: PrivateDirectory) -> PathRecord? {
        guard let file = try? directory.open(name(path), O_RDONLY), let bytes = try? file.readAll(limit: 200)
        else { return nil }
        let words = bytes.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard words.count >= 2,
            let identifier = try? Hex.decode(String(decoding: words[words.count - 2], as: UTF8.self)),
            identifier.count == VaultHeader.identifierByteCount
        else { return nil }
        let record = PathRecord(vaultIdentifier: identifier)
        return record.bytes == bytes ? record : nil
    }

    /// Saves the record. It always has the same size and is written in place, with one call.
    func write(path: String, in directory: PrivateDirectory) {
        guard let file = try? directory.open(Self.name(path), O_WRONLY | O_CREAT, mode: 0o600) else { return }
        try? file.writeAll(bytes, "")
    }

    /// Forgets the record of a path.
    static func remove(path: String, in directory: PrivateDirectory) { directory.remove(name(path)) }

    private var bytes: [UInt8] {
        let body = "\(Self.title)\n\(Hex.encode(vaultIdentifier)) "
        // A reader that runs at the same time as a writer may read half of each; the checksum detects this.
        return Array("\(body)\(SHA256.hash(data: body.utf8).hex)\n".utf8)
    }

    /// The path itself may be longer than a file name.
    static func name(_ path: String) -> String {
        "path-" + Hex.encode(Array(SHA256.hash(data: path.utf8).bytes.prefix(16))) + ".mark"
    }
}
