// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// The backend that this account used before.
///
/// Without it, a session on the desktop would store its secrets in the Secret Service and a session over ssh in the
/// vault, and neither would find the secrets of the other.
package enum BackendChoice {
    private static let name = "backend"

    package static func read() throws(KeychainError) -> KeychainBackend? {
        let path = try directory()
        let bytes: [UInt8]
        do throws(KeychainError) {
            bytes = try converting(
                PrivateDirectory(path, isCreated: false).open(name, O_RDONLY).readAll(limit: 100)
            )
        } catch .notFound {
            return nil
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let backend = KeychainBackend(rawValue: text.hasSuffix("\n") ? String(text.dropLast()) : text)
        else {
            throw .damaged(
                "\(path)/\(name) does not name a backend: write secret-service or vault into it, or delete it"
            )
        }
        return backend
    }

    /// Remembers a backend, unless one is remembered already. Returns whether it was written.
    static func write(_ backend: KeychainBackend) throws(KeychainError) -> Bool {
        guard try read() == nil else { return false }
        let directory: PrivateDirectory
        do throws(KeychainError) {
            let path = try self.directory()
            directory = try converting(PrivateDirectory(path, isCreated: true))
        } catch .notFound {
            throw .inputOutput(
                "cannot remember the backend: the parent folder of \(try path()) does not exist"
            )
        }
        let newName = ".\(name).\(getpid()).tmp"
        directory.remove(newName)
        do throws(SystemError) {
            var file = try AtomicFile(
                in: directory,
                temporaryName: newName,
                "cannot remember the backend in \(directory.path)"
            )
            try file.write(Array("\(backend.rawValue)\n".utf8))
            try file.synchronize()
            // Another process may have written it meanwhile.
            return try file.commit(asNew: name)
        } catch {
            throw KeychainError(error)
        }
    }

    /// Removes the remembered backend.
    static func remove() throws(KeychainError) {
        do throws(KeychainError) {
            let path = try directory()
            try converting(PrivateDirectory(path, isCreated: false)).remove(name)
        } catch .notFound {}
    }

    /// The path of the file that stores the backend.
    package static func path() throws(KeychainError) -> String { try directory() + "/" + name }

    private static func directory() throws(KeychainError) -> String {
        try converting(UserDirectories.state()) + "/credkit"
    }
}
