// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit
internal import CredKitKeychain
internal import FoundationEssentials
internal import Glibc

/// The file of one session: cookies, token and other state, encrypted with AES-256-GCM.
///
/// The file begins with 8 magic bytes and a 12-byte nonce. The magic bytes and the session's name are
/// authenticated. The file name is a hash, so it reveals neither server nor user.
struct SessionFile: Sendable {
    private static let magic = Array("CKSESS1\n".utf8)
    private static let byteCountLimit = 64 << 20
    private static let deadline = Duration.seconds(10)
    /// Reads and writes all session files of the process one at a time.
    private static let thread = SerialThread()

    private let name: String
    let folder: String

    /// Creates a reference to the file of a session.
    ///
    /// - Parameters:
    ///   - name: The name of the session.
    ///   - folder: The folder of the session files; `nil` for `$XDG_STATE_HOME/credkit/sessions`.
    /// - Throws: `storage` if the folder cannot be determined.
    init(name: String, folder: String?) throws(ClientError) {
        self.name = name
        if let folder {
            self.folder = folder
        } else {
            do throws(SystemError) {
                self.folder = try UserDirectories.state() + "/credkit/sessions"
            } catch {
                throw .storage(error.description)
            }
        }
    }

    private var fileName: String { SHA256.hash(data: Array("credkit session \(name)".utf8)).hex + ".session" }

    /// Reads the contents of the file; `nil` if there is no file.
    func read(key: SessionKey) async throws(ClientError) -> SessionContents? {
        let (folder, fileName) = (self.folder, self.fileName)
        let bytes = try await Self.run { () throws(SystemError) in try Self.read(fileName, in: folder) }
        guard let bytes else { return nil }
        return try contents(of: bytes, key: key)
    }

    /// Whether there is no file. If that cannot be told, the answer is `false`, and reading says why.
    func isMissing() async -> Bool {
        let (folder, fileName) = (self.folder, self.fileName)
        let isThere = try? await Self.run { () throws(SystemError) -> Bool in
            do throws(SystemError) {
                _ = try PrivateDirectory(folder, isCreated: false).open(fileName, O_RDONLY)
                return true
            } catch {
                guard error.kind == .notFound else { throw error }
                return false
            }
        }
        return isThere == false
    }

    private static func read(_ fileName: String, in folder: String) throws(SystemError) -> [UInt8]? {
        do throws(SystemError) {
            let directory = try PrivateDirectory(folder, isCreated: false)
            return try directory.open(fileName, O_RDONLY).readAll(limit: byteCountLimit + 1)
        } catch {
            guard error.kind == .notFound else { throw error }
            return nil
        }
    }

    private func contents(of bytes: [UInt8], key: SessionKey) throws(ClientError) -> SessionContents {
        let nonceEnd = Self.magic.count + AESGCM.nonceByteCount
        guard bytes.count > nonceEnd, bytes.count <= Self.byteCountLimit, bytes.starts(with: Self.magic),
            let opened = open(
                Array(bytes[nonceEnd...]),
                key,
                nonce: Array(bytes[Self.magic.count..<nonceEnd])
            )
        else {
            throw .storage(
                "the file of the session '\(name)' is damaged or encrypted with another key: log in again"
            )
        }
        let json = opened.withSecretBytes { bytes in Data(bytes.indices.map { bytes[$0] }) }
        guard let contents = try? JSONDecoder().decode(SessionContents.self, from: json) else {
            throw .storage("the file of the session '\(name)' was written by another version: log in again")
        }
        return contents
    }

    private func open(_ sealed: [UInt8], _ key: SessionKey, nonce: [UInt8]) -> SecretBytes? {
        try? AESGCM.open(sealed.span, key: key.bytes, nonce: nonce, context: context)
    }

    /// Replaces the contents of the file.
    ///
    /// - Parameters:
    ///   - contents: The new contents.
    ///   - key: The session's key.
    ///   - isNew: Whether the file may be created. Otherwise only a file of the same login is replaced: if
    ///     there is none, another program has logged out, and if it is another login's, another program has
    ///     logged in again.
    ///   - cookiesLogIn: Whether cookies are of the login, so that those of a newer one stay.
    /// - Returns: Whether the file was written.
    /// - Throws: `storage`; `insecureFile` if other users can change the file or its folder.
    @discardableResult
    func write(
        _ contents: SessionContents,
        key: SessionKey,
        isNew: Bool,
        cookiesLogIn: Bool = false
    ) async throws(ClientError) -> Bool {
        let (folder, fileName) = (self.folder, self.fileName)
        return try await Self.run { () throws(SystemError) in
            var contents = contents
            if !isNew {
                guard let bytes = try Self.read(fileName, in: folder),
                    let old = try? self.contents(of: bytes, key: key), old.loginID == contents.loginID
                else { return false }
                if old.renewalCount > contents.renewalCount {
                    // Another program has renewed the login since.
                    (contents.token, contents.tokenExpiry) = (old.token, old.tokenExpiry)
                    if cookiesLogIn { contents.cookies = old.cookies }
                    contents.boundKey = old.boundKey
                    contents.renewalCount = old.renewalCount
                }
            }
            let bytes = try self.sealed(contents, key: key)
            var file = try AtomicFile(
                in: PrivateDirectory(folder, isCreated: isNew),
                temporaryName: ".\(fileName).\(Hex.encode(SecureRandom.bytes(count: 8)))",
                "cannot write a login session to \(folder)"
            )
            try file.write(bytes)
            try file.synchronize()
            try file.commit(as: fileName)
            return true
        }
    }

    private func sealed(_ contents: SessionContents, key: SessionKey) throws(SystemError) -> [UInt8] {
        guard let json = try? JSONEncoder().encode(contents) else {
            throw SystemError(.inputOutput, "cannot encode the session '\(name)'")
        }
        let nonce = SecureRandom.bytes(count: AESGCM.nonceByteCount)
        do throws(CipherError) {
            return Self.magic + nonce
                + (try AESGCM.seal(Array(json), key: key.bytes, nonce: nonce, context: context))
        } catch {
            throw SystemError(.outOfMemory, "there is not enough memory to encrypt a session")
        }
    }

    /// Removes the file, and temporary files of interrupted writes.
    func remove() async throws(ClientError) {
        let (folder, fileName) = (self.folder, self.fileName)
        try await Self.run { () throws(SystemError) in
            do throws(SystemError) {
                let directory = try PrivateDirectory(folder, isCreated: false)
                directory.remove(fileName)
                for name in try directory.names() where name.hasPrefix(".\(fileName).") {
                    directory.remove(name)
                }
                guard !directory.contains(fileName) else {
                    throw SystemError(.inputOutput, "cannot remove the file of a login session in \(folder)")
                }
                try directory.synchronize()
            } catch {
                guard error.kind == .notFound else { throw error }
            }
        }
    }

    private var context: [UInt8] { Self.magic + Array(name.utf8) }

    private static func run<Value: Sendable>(
        _ body: @escaping @Sendable () throws(SystemError) -> Value
    ) async throws(ClientError) -> Value {
        try await thread.run(deadline: deadline, orThrow: Self.error) { _ in
            do throws(SystemError) {
                return .success(try body())
            } catch {
                return .failure(Self.error(for: error))
            }
        }
    }

    private static func error(for error: SystemError) -> ClientError {
        switch error.kind {
        case .insecureFile: .insecureFile(error.description)
        case .outOfMemory: .outOfMemory
        case .notFound, .denied, .inputOutput: .storage(error.description)
        }
    }

    private static func error(for failure: CallFailure) -> ClientError {
        switch failure {
        case .cancelled: .cancelled
        case .timedOut: .storage("the file of the session was not read or written in time")
        case .noThread: .storage("no thread can be started to read or write the file of the session")
        }
    }
}
