// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitServer
import CredKitTerminal

/// The keys of one-time codes, from a file with a line `name:otpauth://…` for each user who needs a code.
struct ServerOneTimeCodes: Sendable {
    /// Keyed by the bytes of the name, as ``ServerUsers``.
    private var keys: [[UInt8]: (key: OneTimeCodeKey, revision: StoreKey)] = [:]

    /// The users who were removed, and whose keys were left out.
    private(set) var leftOut: Set<[UInt8]> = []

    /// Reads a file. Empty lines and lines that begin with `#` are ignored.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - users: The users; `nil` if they are not known.
    ///   - isFormer: Whether there was a user of a name before a reload: one who was removed must not make it fail.
    /// - Throws: ``CommandFailure``.
    init(
        reading file: FileArgument,
        users: ServerUsers?,
        isFormer: (String) -> Bool = { _ in false }
    ) throws(CommandFailure) {
        let bytes = try ServerFile.read(file, upTo: ServerUsers.maximumByteCount)
        try self.init(parsing: bytes, named: file.quotedForMessage, users: users, isFormer: isFormer)
    }

    /// Parses the lines of the file.
    init(
        parsing bytes: [UInt8],
        named name: String,
        users: ServerUsers?,
        isFormer: (String) -> Bool = { _ in false }
    ) throws(CommandFailure) {
        try ServerLines(bytes, named: name).forEach { (line) throws(CommandFailure) in
            try add(line, users, isFormer)
        }
    }

    /// Parses the lines of a file that may have mistakes.
    ///
    /// - Parameters:
    ///   - lines: The file.
    ///   - users: The users; `nil` if they are not known.
    ///   - isFormer: Whether the key of a name is left out if there is no such user.
    ///   - problems: Gets the mistakes.
    init(
        _ lines: ServerLines,
        users: ServerUsers?,
        isFormer: (String) -> Bool,
        problems: inout [CommandFailure]
    ) {
        lines.collect(&problems) { (line) throws(CommandFailure) in try add(line, users, isFormer) }
    }

    private mutating func add(
        _ line: ServerLines.Line,
        _ users: ServerUsers?,
        _ isFormer: (String) -> Bool
    ) throws(CommandFailure) {
        guard let colon = line.bytes.firstIndex(of: UInt8(ascii: ":")), colon > line.bytes.startIndex,
            let user = String(validating: line.bytes[..<colon], as: UTF8.self)
        else { throw line.failure("not of the form name:otpauth://…, with the name of a user") }
        if let users, users[user] == nil {
            guard !isFormer(user) else {
                leftOut.insert(Array(user.utf8))
                return
            }
            throw line.failure(
                "there is no user '\(ShellQuoting.escapingUnprintable(user))': 'credkit-server users delete' with this name removes "
                    + "the line"
            )
        }
        let key: OneTimeCodeKey
        do throws(OneTimeCodeError) {
            key = try OneTimeCodeKey(uri: Array(line.bytes[colon...].dropFirst()))
        } catch {
            throw line.failure("\(error)")
        }
        guard case .time = key.kind else {
            throw line.failure("codes with a counter are not supported here")
        }
        let revision = Self.revision(of: line.bytes[colon...])
        guard keys.updateValue((key, revision), forKey: Array(user.utf8)) == nil else {
            throw line.failure("a second key of the same user")
        }
    }
}

extension ServerOneTimeCodes {
    /// Returns the key of a user; `nil` if the user needs no code.
    func oneTimeCode(ofAccountNamed name: String) -> OneTimeCodeUser? {
        keys[Array(name.utf8)].map { OneTimeCodeUser(key: $0.key) }
    }

    /// Returns what stands for the key of a user; `nil` if the user needs no code.
    func revision(ofAccountNamed name: String) -> StoreKey? { keys[Array(name.utf8)]?.revision }
}

/// What the server changes in the file itself.
extension ServerOneTimeCodes {
    /// Replaces the key of a user.
    ///
    /// - Parameters:
    ///   - key: The key; `nil` to remove it.
    ///   - text: The key as it stands in the file.
    ///   - name: The name of the user.
    mutating func set(_ key: OneTimeCodeKey?, _ text: [UInt8]?, ofUserNamed name: String) {
        guard let key, let text else {
            keys[Array(name.utf8)] = nil
            return
        }
        keys[Array(name.utf8)] = (key, Self.revision(of: [UInt8(ascii: ":")] + text))
    }

    /// Takes over the key of a user as others have it, by the bytes of the name.
    mutating func copy(_ name: [UInt8], from others: ServerOneTimeCodes) {
        keys[name] = others.keys[name]
    }

    /// Returns what stands for a key.
    ///
    /// - Parameter text: The key as it stands in the file, with the colon before it.
    /// - Returns: A key that differs wherever the text differs.
    private static func revision(of text: some Collection<UInt8>) -> StoreKey {
        StoreKey("one-time key", String(decoding: text, as: UTF8.self))
    }
}
