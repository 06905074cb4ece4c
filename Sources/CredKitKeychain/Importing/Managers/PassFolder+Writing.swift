// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import Glibc

extension PassFolder {
    private struct NewEntry {
        let path: String
        let content: [UInt8]
    }

    /// Writes a file for each item, encrypted for the keys that the nearest `.gpg-id` names: all items, or none. All of them
    /// are encrypted before the first file is written. No file is replaced. If the process is killed while it writes, some
    /// files are there and each of them is whole; delete them before you repeat it.
    ///
    /// The folder's Git repository, if there is one, is not changed.
    ///
    /// - Parameter credentials: The items with their secrets.
    /// - Returns: Each property that ``read()`` would not return the same.
    /// - Throws: ``KeychainError``; ``KeychainError/alreadyExists`` if an entry exists, ``KeychainError/notFound`` if no
    ///   `.gpg-id` names a key, ``KeychainError/denied`` if one cannot be used.
    public func write(_ credentials: [Credential]) throws(KeychainError) -> [TransferLoss] {
        let root = try openForWriting()
        let (entries, losses) = try prepare(credentials, in: root)
        var written: [String] = []
        do throws(KeychainError) {
            for entry in entries {
                let path = entry.path + ".gpg"
                let (folder, name) = try Self.folder(of: path, in: root, creating: true)
                try Self.write(entry, as: name, in: folder)
                written.append(path)
            }
        } catch {
            for path in written {
                guard let (folder, name) = try? Self.folder(of: path, in: root) else { continue }
                unsafe unlinkat(folder.number, name, 0)
            }
            throw error
        }
        return losses
    }

    /// Returns what ``write(_:)`` would not keep, and writes nothing.
    ///
    /// - Parameter credentials: The items with their secrets.
    /// - Returns: As ``write(_:)`` does.
    /// - Throws: As ``write(_:)`` does.
    public func losses(writing credentials: [Credential]) throws(KeychainError) -> [TransferLoss] {
        try prepare(credentials, in: openForWriting()).losses
    }

    /// Opens the folder, unless another user has put it there: its `.gpg-id` names who can decrypt the entries.
    private func openForWriting() throws(KeychainError) -> Descriptor {
        try converting(OutputPath.openFolder(Array(path.utf8), "cannot open the folder \(path)"))
    }

    private func prepare(
        _ credentials: [Credential],
        in root: Descriptor
    ) throws(KeychainError) -> (entries: [NewEntry], losses: [TransferLoss]) {
        guard credentials.count <= TransferLimits.entryCount else {
            throw .overLimit("more than \(TransferLimits.entryCount) items cannot be written")
        }
        guard unsafe getenv("PASSWORD_STORE_SIGNING_KEY") == nil else {
            throw .unsupported(
                "PASSWORD_STORE_SIGNING_KEY is set: signatures of .gpg-id are not checked here"
            )
        }
        var paths = PassPath()
        var recipients: [String: [String]] = [:]
        var entries: [NewEntry] = []
        var losses: [TransferLoss] = []
        for credential in credentials {
            let path = paths.path(of: credential)
            var status = stat()
            if unsafe fstatat(root.number, path + ".gpg", &status, AT_SYMLINK_NOFOLLOW) == 0 {
                throw .alreadyExists("the entry \(path) already exists; nothing was exported")
            }
            let text = try PassText.text(credential)
            let copy = try PassText.entry(text, path: path).items()
            var draft = EntryDraft(key: credential.item.key)
            draft.append(credential)
            losses += draft.losses(comparedWith: copy, path)
            if credential.secret.withSecretBytes({ bytes in bytes.indices.contains { bytes[$0] == 10 } }) {
                let detail = "kept, but pass takes only its first line as the password"
                losses.append(TransferLoss(entry: path, field: "password", detail: detail, isKept: true))
            }
            let keys = try Self.recipients(of: path, in: root, &recipients)
            entries.append(NewEntry(path: path, content: try gnuPG.encrypt(text, for: keys)))
        }
        return (entries, losses)
    }

    /// Returns the keys for an entry: those of `.gpg-id` in the nearest folder above it that has one.
    private static func recipients(
        of path: String,
        in root: Descriptor,
        _ known: inout [String: [String]]
    ) throws(KeychainError) -> [String] {
        var parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        while !parts.isEmpty {
            parts.removeLast()
            let folder = parts.joined(separator: "/")
            let name = folder.isEmpty ? ".gpg-id" : folder + "/.gpg-id"
            if let keys = known[folder] { return keys }
            let file: Descriptor
            do throws(KeychainError) {
                file = try converting(Descriptor.open(name, in: root.number, O_RDONLY))
            } catch .notFound {
                continue
            }
            guard try converting(file.status()).st_mode & S_IFMT == S_IFREG else {
                throw .insecureFile("\(name) is no ordinary file")
            }
            let text = try converting(file.readAll(limit: 64 << 10))
            var keys: [String] = []
            for line in text.split(separator: 10) {
                var name = line.prefix { $0 != UInt8(ascii: "#") }.drop { $0 <= 32 }
                while let last = name.last, last <= 32 { name.removeLast() }
                guard !name.isEmpty, !name.contains(0) else { continue }
                keys.append(String(decoding: name, as: UTF8.self))
            }
            guard !keys.isEmpty else { throw .notFound("\(name) names no key") }
            known[folder] = keys
            return keys
        }
        throw .notFound("the folder has no .gpg-id: run 'pass init' first")
    }

    private static func write(_ entry: NewEntry, as name: String, in folder: Descriptor) throws(KeychainError)
    {
        do throws(SystemError) {
            let path = Array("/proc/self/fd/\(folder.number)/\(name)".utf8)
            var file = try NewFile.create(path, "cannot write the entry \(entry.path)")
            try file.write(entry.content.span)
            try file.commit()
        } catch {
            throw KeychainError(error)
        }
    }
}
