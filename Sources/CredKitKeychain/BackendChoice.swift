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

    /// Throws if a backend could not be remembered.
    static func prepare() throws(KeychainError) {
        do throws(KeychainError) {
            let directory = try PrivateDirectory(directory(), isCreated: true)
            guard unsafe access(directory.path, W_OK) == 0 else { throw .system(errno, directory.path) }
        } catch .notFound {
            throw .inputOutput("cannot remember the backend: there is no folder for \(try path())")
        }
    }

    /// Remembers a backend, unless one is remembered already.
    static func write(_ backend: KeychainBackend) throws(KeychainError) {
        guard try read() == nil else { return }
        let directory = try PrivateDirectory(directory(), isCreated: true)
        let newName = ".\(name).\(getpid()).tmp"
        directory.remove(newName)
        let doing = "cannot remember the backend in \(directory.path)"
        try directory.create(newName, doing: doing).writeAll(Array("\(backend.rawValue)\n".utf8), doing)
        // Not over one that somebody else has written meanwhile.
        let errorNumber = directory.link(newName, to: name)
        directory.remove(newName)
        guard errorNumber == 0 || errorNumber == EEXIST else { throw .system(errorNumber, doing) }
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
