// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import Glibc

/// The folder in which `pass` and `gopass` store entries, usually `~/.password-store`: a file for each, encrypted by
/// `gpg`, which must be installed with the keys of this user.
///
/// ```swift
/// let imported = try PassFolder(path: path).read()
/// ```
///
/// The first line of a file is the password. A line `login:`, `username:` or `user:` has the account, `url:` the address, and
/// one that begins with `otpauth://` the one-time codes; all other lines are notes. Without a `login:`, the file `host/user`
/// has its account in its name. The attribute `path` has the whole name.
///
/// > Note: Both directions run `gpg` for each entry on the calling thread. Call them from a thread of your own where others
/// > would wait.
public struct PassFolder: Sendable {
    /// The path of the folder.
    public let path: String
    let gnuPG: GnuPG

    /// Describes a folder.
    ///
    /// - Parameters:
    ///   - path: The path of the folder.
    ///   - prompts: Whether the agent of `gpg` may ask for the passphrase of a key.
    /// - Throws: ``KeychainError/invalid`` if the path contains a NUL character.
    public init(path: String, prompts: Bool = true) throws(KeychainError) {
        guard !path.utf8.contains(0) else {
            throw .invalid("the path of the folder contains a NUL character")
        }
        self.path = path
        gnuPG = GnuPG(prompts: prompts)
    }

    /// Opens the folder. A symbolic link is followed here alone: the user names it.
    func open() throws(KeychainError) -> Descriptor {
        let number = unsafe Glibc.open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw .system(errno, "cannot open the folder \(path)") }
        return Descriptor(number)
    }

    /// Reads all entries.
    ///
    /// - Returns: The items, and what was left out. An entry that cannot be decrypted or read is left out as a
    ///   ``TransferLoss/isFailure``, as are symbolic links.
    /// - Throws: ``KeychainError``; ``KeychainError/notFound`` if there is no such folder or no `gpg`,
    ///   ``KeychainError/overLimit`` for more than 100,000 entries.
    public func read() throws(KeychainError) -> PasswordImport {
        var collector = ImportCollector()
        var walk = Walk()
        let root = try open()
        try walk.list(root, "", depth: 0, &collector)
        for path in walk.paths {
            let name = String(decoding: path.utf8.dropLast(4), as: UTF8.self)
            let entry: PasswordEntry
            do throws(KeychainError) {
                guard Walk.has(".gpg", path) else { throw .unsupported("it is encrypted with age") }
                entry = try PassText.entry(gnuPG.decrypt(Self.content(of: path, in: root)), path: name)
            } catch {
                guard [.denied, .damaged, .overLimit, .unsupported, .insecureFile].contains(error) else {
                    throw error
                }
                collector.fail(name, "not imported: \(error)")
                continue
            }
            try collector.add(entry)
        }
        return collector.result
    }

    /// Opens the folder of a file, step by step and without following symbolic links.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - root: The folder that it starts from.
    ///   - creates: Whether to create what is missing.
    /// - Returns: The folder, and the name of the file in it.
    /// - Throws: ``KeychainError``.
    static func folder(
        of path: String,
        in root: Descriptor,
        creating creates: Bool = false
    ) throws(KeychainError) -> (Descriptor, String) {
        var parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        guard let name = parts.popLast() else { throw .invalid("the entry has no name") }
        var folder = root
        for part in parts {
            if creates, unsafe mkdirat(folder.number, part, 0o700) != 0, errno != EEXIST {
                throw .system(errno, "cannot create the folder of \(path)")
            }
            folder = try converting(Descriptor.open(part, in: folder.number, O_RDONLY | O_DIRECTORY))
        }
        return (folder, name)
    }

    private static func content(of path: String, in root: Descriptor) throws(KeychainError) -> [UInt8] {
        // Not kept open: a process may have fewer descriptors than there are folders.
        let (folder, name) = try folder(of: path, in: root)
        let descriptor = try converting(Descriptor.open(name, in: folder.number, O_RDONLY, named: path))
        let status = try converting(descriptor.status())
        guard status.st_mode & S_IFMT == S_IFREG else { throw .unsupported("it is no ordinary file") }
        let limit = 2 * GnuPG.plaintextLimit
        let bytes = try converting(descriptor.readAll(limit: limit + 1))
        guard bytes.count <= limit else { throw .overLimit("the file is larger than \(limit >> 20) MiB") }
        return bytes
    }

    /// The files of entries in a folder and those within it.
    struct Walk {
        private static let ignored: Set = [".git", ".extensions", ".public-keys", ".age-recipients"]
        private(set) var paths: [String] = []
        private var count = 0

        /// Returns whether a name ends with these bytes. A character before the dot may combine with it.
        static func has(_ ending: String, _ name: String) -> Bool {
            name.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
        }

        mutating func list(
            _ folder: Descriptor,
            _ start: String,
            depth: Int,
            _ collector: inout ImportCollector
        ) throws(KeychainError) {
            guard depth < TransferLimits.depth else {
                throw .overLimit("folders are nested deeper than \(TransferLimits.depth)")
            }
            let names = try converting(folder.entryNames(named: start))
            for name in names.sorted() where name != "." && name != ".." && !Self.ignored.contains(name) {
                count += 1
                guard count <= TransferLimits.entryCount else {
                    throw .overLimit("the folder has more than \(TransferLimits.entryCount) files")
                }
                let path = start + name
                var status = stat()
                guard unsafe fstatat(folder.number, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else {
                    collector.fail(path, "not imported: its name is not UTF-8, or it was deleted")
                    continue
                }
                switch status.st_mode & S_IFMT {
                case S_IFDIR:
                    let inner = try converting(
                        Descriptor.open(name, in: folder.number, O_RDONLY | O_DIRECTORY)
                    )
                    try list(inner, path + "/", depth: depth + 1, &collector)
                case S_IFREG where Self.has(".gpg", name) || Self.has(".age", name):
                    paths.append(path)
                case S_IFREG:
                    if !name.hasPrefix(".") { collector.leaveOut(path, "", "left out: it is no entry") }
                default: collector.fail(path, "not imported: it is a symbolic link, or no ordinary file")
                }
            }
        }
    }
}
