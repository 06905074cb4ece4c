// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

/// The users of a file with a line `NAME:HASH` for each, as htpasswd and credkit-server have it. What is not changed stays as it
/// is, byte for byte: comments, empty lines, ends of lines, and further fields after the hash.
struct UserTable {
    /// A user, as a line has it.
    struct User {
        /// The bytes of the name. Names with other bytes are other names, also if Swift treats them as equal.
        let name: [UInt8]
        let hash: PasswordHash
        /// Why no password matches, as `audit` says it; `nil` if there is a hash that is not locked.
        let absence: PasswordTableAudit.Absence?
        /// Where the hash stands in the line.
        fileprivate let range: Range<Int>
    }

    private struct Line {
        /// The line without its line feed.
        var bytes: [UInt8]
        /// `nil` for a comment, an empty line and an unreadable entry.
        let user: User?
        /// The name of an unreadable entry.
        var unreadableName: [UInt8]?
    }

    private struct Problem: Error {
        let text: String
    }

    /// As large as a users file of credkit-server may be.
    static let maximumByteCount = 256 << 20

    private static let colon = UInt8(ascii: ":")
    private var lines: [Line] = []

    /// Parses a file.
    ///
    /// - Parameters:
    ///   - bytes: The content.
    ///   - name: The name of the file, for messages.
    ///   - user: The name of a user whose entries are to be replaced or removed, and may be unreadable. `nil` if the file is
    ///     only read: entries may then be locked, or have no hash, as in shadow files.
    /// - Throws: ``CommandFailure`` for a line that is no user: the file is probably something else. Its message does not
    ///   contain the line, which holds a secret.
    init(_ bytes: [UInt8], named name: String, changing user: [UInt8]? = nil) throws(CommandFailure) {
        let parts = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        lines.reserveCapacity(parts.count)
        for (index, part) in parts.enumerated() {
            let line = Array(part)
            do throws(Problem) {
                lines.append(Line(bytes: line, user: try Self.user(in: line, isRead: user == nil)))
            } catch {
                if let user, Self.end(ofNameIn: line).map({ line[..<$0].elementsEqual(user) }) == true {
                    lines.append(Line(bytes: line, user: nil, unreadableName: user))
                    continue
                }
                throw CommandFailure(.malformed, "\(name): line \(index + 1): \(error.text)")
            }
        }
    }

    /// Returns where the colon behind the name is; `nil` if there is none.
    private static func end(ofNameIn line: [UInt8]) -> Int? {
        line.firstIndex(of: colon).flatMap { $0 > 0 ? $0 : nil }
    }

    private static func user(in line: [UInt8], isRead: Bool) throws(Problem) -> User? {
        let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line[...]
        guard let first = content.first, first != UInt8(ascii: "#") else { return nil }
        guard let end = end(ofNameIn: line) else {
            throw Problem(text: "not of the form NAME:HASH")
        }
        let name = Array(content[..<end])
        let rest = content[(end + 1)...]
        if isRead, let user = try lockedUser(name, rest) { return user }
        // Web servers ignore what follows a second colon. Hashes with colons of their own are no hashes up to the first one;
        // a digest with its salt would be, and the salt must not be kept behind another hash.
        if let end = rest.firstIndex(of: colon), let credential = try? parsed(rest[..<end]),
            credential.passwordEquivalent == nil, let hash = try? passwordHash(of: credential)
        {
            return User(name: name, hash: hash, absence: nil, range: rest.startIndex..<end)
        }
        let hash = try passwordHash(of: try parsed(rest))
        return User(name: name, hash: hash, absence: nil, range: rest.startIndex..<rest.endIndex)
    }

    /// Returns the user of a line that is locked, or has no hash; `nil` if there may be a hash.
    ///
    /// - Parameters:
    ///   - name: The name of the user.
    ///   - rest: What follows the colon behind the name.
    /// - Returns: The user; `nil` if the line must be read as one with a hash.
    /// - Throws: `Problem` if what is behind the mark of a lock is no hash.
    private static func lockedUser(_ name: [UInt8], _ rest: ArraySlice<UInt8>) throws(Problem) -> User? {
        let field = rest.prefix { $0 != colon }
        let bytes = Array(field)
        let stored = StoredPasswordField(bytes.span)
        // The hashes of a passwd file are elsewhere.
        guard stored.absence != .shadowed, stored.absence != nil || stored.lockByteCount > 0 else {
            return nil
        }
        if stored.absence == nil { _ = try parsed(field.dropFirst(stored.lockByteCount)) }
        return User(
            name: name,
            hash: try passwordHash(of: .unusable),
            absence: stored.absence ?? .locked,
            range: field.startIndex..<field.endIndex
        )
    }

    private static func passwordHash(of credential: StoredCredential) throws(Problem) -> PasswordHash {
        do throws(PasswordError) {
            return try PasswordHash(credential.passwordHash)
        } catch {
            throw Problem(text: "\(error)")
        }
    }

    private static func parsed(_ bytes: ArraySlice<UInt8>) throws(Problem) -> StoredCredential {
        guard let text = String(validating: bytes, as: UTF8.self) else { throw Problem(text: "not UTF-8") }
        do throws(LoginServerError) {
            return try StoredCredential(text)
        } catch {
            throw Problem(text: "\(error)")
        }
    }

    /// The content of the file.
    var bytes: [UInt8] { Array(lines.map(\.bytes).joined(separator: [UInt8(ascii: "\n")])) }

    /// The users, in the order of the file.
    var users: [User] { lines.compactMap(\.user) }

    /// Returns the entries of a name. The first one counts, as for htpasswd and nginx.
    func entries(_ name: [UInt8]) -> [User] { users.filter { $0.name == name } }

    /// The names that several entries have.
    var repeatedNames: [[UInt8]] {
        var (seen, repeated): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        return users.map(\.name).filter { !seen.insert($0).inserted && repeated.insert($0).inserted }
    }

    /// Whether the entry of a name that counts cannot be read.
    func isUnreadable(_ name: [UInt8]) -> Bool {
        places(of: name).first.map { lines[$0].unreadableName != nil } ?? false
    }

    /// Replaces the hash of a user, or the whole line if it cannot be read, and removes further entries of the name; or adds
    /// the user at the end.
    ///
    /// - Returns: The number of entries that the user had.
    mutating func set(_ hash: String, of name: [UInt8]) -> Int {
        let places = places(of: name)
        let line = Line(bytes: name + [Self.colon] + Array(hash.utf8), user: nil)
        guard let first = places.first else {
            if lines.last?.bytes.isEmpty == true {
                lines.insert(line, at: lines.count - 1)
            } else {
                // The last line had no line feed.
                lines += [line, Line(bytes: [], user: nil)]
            }
            return 0
        }
        if let range = lines[first].user?.range {
            lines[first].bytes.replaceSubrange(range, with: hash.utf8)
        } else {
            lines[first] = line
        }
        for place in places.dropFirst().reversed() { lines.remove(at: place) }
        return places.count
    }

    /// Removes all entries of a name.
    ///
    /// - Returns: The number of entries that the user had.
    mutating func remove(_ name: [UInt8]) -> Int {
        let places = places(of: name)
        for place in places.reversed() { lines.remove(at: place) }
        return places.count
    }

    private func places(of name: [UInt8]) -> [Int] {
        lines.indices.filter { (lines[$0].user?.name ?? lines[$0].unreadableName) == name }
    }
}
