// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The backend that this account has used before.
///
/// Without it, a session on the desktop would store its secrets in the Secret Service and a session over ssh in the
/// vault, and neither would find those of the other.
package enum BackendChoice {
    private static let name = "backend"

    package static func read() throws(KeychainError) -> KeychainBackend? {
        let path = try directory()
        let bytes: [UInt8]
        do throws(KeychainError) {
            bytes = try PrivateDirectory(path, isCreated: false).open(name, O_RDONLY).readAll(limit: 100)
        } catch .notFound {
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let backend = KeychainBackend(rawValue: text.hasSuffix("\n") ? String(text.dropLast()) : text)
        else {
            throw .damaged(
                "\(path)/\(name) names no backend: write secret-service or vault into it, or delete it"
            )
        }
        return backend
    }

    /// Remembers a backend, unless one is remembered already; whether it was not.
    static func write(_ backend: KeychainBackend) throws(KeychainError) -> Bool {
        guard try read() == nil else { return false }
        let directory: PrivateDirectory
        do throws(KeychainError) {
            directory = try PrivateDirectory(self.directory(), isCreated: true)
        } catch .notFound {
            throw .inputOutput("cannot remember the backend: there is no folder for \(try path())")
        }
        let newName = ".\(name).\(getpid()).tmp"
        directory.remove(newName)
        let doing = "cannot remember the backend in \(directory.path)"
        defer { directory.remove(newName) }
        let file = try directory.create(newName, doing: doing)
        try file.writeAll(Array("\(backend.rawValue)\n".utf8), doing)
        // Otherwise the file may be there without what it says after a loss of power.
        guard fsync(file.number) == 0 else { throw .system(errno, doing) }
        // Not over one that somebody else has written meanwhile.
        switch directory.link(newName, to: name) {
        case 0: return true
        case EEXIST: return false
        case EPERM, EOPNOTSUPP, ENOSYS, EMLINK:
            // Not every file system has hard links.
            let errorNumber = directory.rename(newName, to: name)
            guard errorNumber == 0 else { throw .system(errorNumber, doing) }
            return true
        case let errorNumber: throw .system(errorNumber, doing)
        }
    }

    /// Forgets it.
    static func remove() throws(KeychainError) {
        do throws(KeychainError) {
            try PrivateDirectory(directory(), isCreated: false).remove(name)
        } catch .notFound {}
    }

    /// The file that remembers it.
    package static func path() throws(KeychainError) -> String { try directory() + "/" + name }

    private static func directory() throws(KeychainError) -> String {
        try UserDirectories.state() + "/credkit"
    }
}
