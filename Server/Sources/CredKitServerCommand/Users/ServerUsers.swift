// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

/// The users, from a file with a line `name:RECORD` for each.
struct ServerUsers: Sendable {
    /// A user with the number used in answers: 1 for the first user of the file.
    struct User: Sendable {
        let id: Int
        let account: LoginAccount
    }

    /// The server is meant for at most about a million users.
    static let maximumByteCount = 256 << 20

    /// Keyed by the bytes of the name, as the limits count it. Strings with different bytes can be equal (`K` and the
    /// kelvin sign, `é` as one character or two), and each spelling of a name would then have its own attempts.
    private var users: [[UInt8]: User] = [:]

    var count: Int { users.count }

    /// Their names.
    var names: [String] { users.values.map(\.account.name) }

    /// Their names, in the order of their bytes.
    var namesInOrder: [String] { names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) } }

    var accounts: [LoginAccount] { users.values.map(\.account) }

    var credentials: [StoredCredential] { users.values.map(\.account.credential) }

    /// The hash functions of the verifiers with which users log in by SCRAM.
    var verifierFunctions: Set<SCRAM.HashFunction> {
        Set(credentials.compactMap { try? $0.scramRecord().verifier.hashFunction })
    }

    /// Why users cannot log in by SCRAM, with their number.
    var reasonsAgainstSCRAM: [String: Int] {
        credentials.reduce(into: [:]) { reasons, credential in
            do throws(LoginServerError) {
                let function = try credential.scramRecord().verifier.hashFunction
                if function != .sha256 {
                    reasons["the verifier is not one of SCRAM-SHA-256", default: 0] += 1
                }
            } catch {
                reasons[error.description, default: 0] += 1
            }
        }
    }

    subscript(name: String) -> User? { self[bytes: Array(name.utf8)] }

    subscript(bytes name: [UInt8]) -> User? { users[name] }

    /// Reads a users file.
    init(reading file: FileArgument) throws(CommandFailure) {
        try self.init(
            parsing: ServerFile.read(file, upTo: Self.maximumByteCount),
            named: file.quotedForMessage
        )
    }

    /// Parses the lines of the file. Empty lines and lines that begin with `#` are ignored.
    init(parsing bytes: [UInt8], named name: String) throws(CommandFailure) {
        let lines = ServerLines(bytes, named: name)
        try lines.forEach { (line) throws(CommandFailure) in try add(line) }
        try lines.require(!users.isEmpty, "there is no user in it")
    }

    /// Parses the lines of a file that may have mistakes.
    ///
    /// - Parameters:
    ///   - lines: The file.
    ///   - problems: Gets the mistakes.
    init(_ lines: ServerLines, problems: inout [CommandFailure]) {
        let count = problems.count
        lines.collect(&problems) { (line) throws(CommandFailure) in try add(line) }
        if problems.count == count {
            ServerLines.collect(&problems) { () throws(CommandFailure) in
                try lines.require(!users.isEmpty, "there is no user in it")
            }
        }
    }

    private mutating func add(_ line: ServerLines.Line) throws(CommandFailure) {
        // Split before decoding: a character of Swift may consist of a colon and an accent.
        guard let colon = line.bytes.firstIndex(of: UInt8(ascii: ":")), colon > line.bytes.startIndex else {
            throw line.failure("not of the form name:RECORD")
        }
        guard let user = String(validating: line.bytes[..<colon], as: UTF8.self),
            let record = String(validating: line.bytes[colon...].dropFirst(), as: UTF8.self)
        else { throw line.failure("not UTF-8") }
        let credential: StoredCredential
        do throws(LoginServerError) {
            credential = try StoredCredential(record)
        } catch {
            throw line.failure("\(error)")
        }
        let entry = User(id: users.count + 1, account: LoginAccount(name: user, credential: credential))
        guard users.updateValue(entry, forKey: Array(user.utf8)) == nil else {
            throw line.failure("a second user of the same name")
        }
    }
}

/// What the server changes in the file itself.
extension ServerUsers {
    /// Changes the credential of a user, or adds the user at the end.
    mutating func set(_ credential: StoredCredential, of name: String) {
        let account = LoginAccount(name: name, credential: credential)
        users[Array(name.utf8)] = User(id: self[name]?.id ?? users.count + 1, account: account)
    }

    /// Removes a user. Those behind it get the numbers that they have when the file is read again.
    mutating func remove(_ name: String) {
        guard let removed = users.removeValue(forKey: Array(name.utf8)) else { return }
        users = users.mapValues { user in
            user.id < removed.id ? user : User(id: user.id - 1, account: user.account)
        }
    }

    /// Takes over a user as others have it, by the bytes of the name.
    mutating func copy(_ name: [UInt8], from others: ServerUsers) {
        guard let user = others[bytes: name] else {
            users[name] = nil
            return
        }
        users[name] = User(id: users[name]?.id ?? user.id, account: user.account)
    }
}
