// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitKeychain
internal import FoundationEssentials
internal import Glibc

/// The file of one session: cookies, token and what else is needed to go on, sealed with AES-256-GCM.
///
/// The file begins with 8 bytes that say what it is, and a nonce of 12; the session's name is authenticated with them. The
/// file's name is a hash, so that it tells no server and no user.
struct SessionFile: Sendable {
    private static let magic = Array("CKSESS1\n".utf8)
    private static let byteCountLimit = 64 << 20
    private static let deadline = Duration.seconds(10)
    /// All files of the process are read and written one after the other.
    private static let thread = SerialThread()

    private let name: String
    private let folder: String

    /// The file of a session.
    ///
    /// - Parameters:
    ///   - name: The session's name.
    ///   - folder: The folder of all such files; `nil` for `$XDG_STATE_HOME/credkit/sessions`.
    /// - Throws: `storage` when there is no folder for it.
    init(name: String, folder: String?) throws(LoginError) {
        self.name = name
        if let folder {
            self.folder = folder
        } else {
            do throws(KeychainError) {
                self.folder = try UserDirectories.state() + "/credkit/sessions"
            } catch {
                throw .storage(error.description)
            }
        }
    }

    private var fileName: String { SHA256.hash(data: Array("credkit session \(name)".utf8)).hex + ".session" }

    /// What is in the file; `nil` if there is none.
    func read(key: SessionKey) async throws(LoginError) -> SessionContents? {
        let (folder, fileName) = (self.folder, self.fileName)
        let bytes = try await Self.run { () throws(KeychainError) in try Self.read(fileName, in: folder) }
        guard let bytes else { return nil }
        return try contents(of: bytes, key: key)
    }

    private static func read(_ fileName: String, in folder: String) throws(KeychainError) -> [UInt8]? {
        do throws(KeychainError) {
            let directory = try PrivateDirectory(folder, isCreated: false)
            return try directory.open(fileName, O_RDONLY).readAll(limit: byteCountLimit + 1)
        } catch .notFound {
            return nil
        }
    }

    private func contents(of bytes: [UInt8], key: SessionKey) throws(LoginError) -> SessionContents {
        let nonceEnd = Self.magic.count + AESGCM.nonceByteCount
        guard bytes.count > nonceEnd, bytes.count <= Self.byteCountLimit, bytes.starts(with: Self.magic),
            let opened = open(
                Array(bytes[nonceEnd...]),
                key,
                nonce: Array(bytes[Self.magic.count..<nonceEnd])
            )
        else {
            throw .storage(
                "the file of the session '\(name)' is damaged, or was made with another key: log in again"
            )
        }
        let json = opened.withSecretBytes { bytes in Data(bytes.indices.map { bytes[$0] }) }
        guard let contents = try? JSONDecoder().decode(SessionContents.self, from: json) else {
            throw .storage("the file of the session '\(name)' is of another version: log in again")
        }
        return contents
    }

    private func open(_ sealed: [UInt8], _ key: SessionKey, nonce: [UInt8]) -> SecretBytes? {
        try? AESGCM.open(sealed.span, key: key.bytes, nonce: nonce, context: context)
    }

    /// Puts new contents in the place of the old.
    ///
    /// - Parameters:
    ///   - contents: What is to be kept.
    ///   - key: The session's key.
    ///   - isNew: Whether the file may be made. Otherwise only the file of the same login is replaced: where there is none,
    ///     another program has logged out, and where there is another, it has logged in anew.
    /// - Returns: Whether it was written.
    /// - Throws: `storage`.
    @discardableResult
    func write(_ contents: SessionContents, key: SessionKey, isNew: Bool) async throws(LoginError) -> Bool {
        guard let json = try? JSONEncoder().encode(contents) else {
            throw .storage("the session '\(name)' cannot be encoded")
        }
        let nonce = SecureRandom.bytes(count: AESGCM.nonceByteCount)
        let sealed: [UInt8]
        do throws(CipherError) {
            sealed = try AESGCM.seal(Array(json), key: key.bytes, nonce: nonce, context: context)
        } catch {
            throw .outOfMemory
        }
        let bytes = Self.magic + nonce + sealed
        let (folder, fileName) = (self.folder, self.fileName)
        return try await Self.run { () throws(KeychainError) in
            if !isNew {
                guard let bytes = try Self.read(fileName, in: folder),
                    let old = try? self.contents(of: bytes, key: key), old.loginID == contents.loginID
                else { return false }
            }
            let directory = try PrivateDirectory(folder, isCreated: isNew)
            let doing = "cannot write a login session to \(folder)"
            let newName = ".\(fileName).\(Hex.encode(SecureRandom.bytes(count: 8)))"
            var isRenamed = false
            let file = try directory.create(newName, doing: doing)
            defer { if !isRenamed { directory.remove(newName) } }
            try file.writeAll(bytes, doing)
            guard fsync(file.number) == 0 else { throw .system(errno, doing) }
            let errorNumber = directory.rename(newName, to: fileName)
            guard errorNumber == 0 else { throw .system(errorNumber, doing) }
            isRenamed = true
            try directory.synchronize()
            return true
        }
    }

    /// Removes the file, and what a killed writer left of it.
    func remove() async throws(LoginError) {
        let (folder, fileName) = (self.folder, self.fileName)
        try await Self.run { () throws(KeychainError) in
            do throws(KeychainError) {
                let directory = try PrivateDirectory(folder, isCreated: false)
                directory.remove(fileName)
                for name in try directory.names() where name.hasPrefix(".\(fileName).") {
                    directory.remove(name)
                }
                guard !directory.contains(fileName) else {
                    throw .inputOutput("cannot remove the file of a login session in \(folder)")
                }
                try directory.synchronize()
            } catch .notFound {}
        }
    }

    private var context: [UInt8] { Self.magic + Array(name.utf8) }

    private static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(KeychainError) -> Value
    ) async throws(LoginError) -> Value {
        do throws(KeychainError) {
            return try await thread.run(deadline: deadline) { _ in
                do throws(KeychainError) {
                    return .success(try body())
                } catch {
                    return .failure(error)
                }
            }
        } catch .cancelled {
            throw .cancelled
        } catch {
            throw .storage(error.description)
        }
    }
}
