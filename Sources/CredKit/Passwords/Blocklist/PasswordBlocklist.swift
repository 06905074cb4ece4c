// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A list of passwords that are common, expected or leaked, on this computer: no password leaves the process.
///
/// ```swift
/// let leaked = try PasswordBlocklist(filter: "/var/lib/example/leaked.filter", hashedWith: .sha1)
/// if try leaked.contains(password) { … }
/// ```
///
/// Whole passwords are compared, byte by byte. ``PasswordRequirements`` applies lists together with the other rules for new
/// passwords.
///
/// A list can be replaced while it is open if another file is renamed over it; the list that was opened stays in use. A
/// filter that is changed in place is noticed: ``PasswordError/changedBlocklist`` is thrown until it is opened again.
///
/// > Note: A lookup touches parts of a file that depend on a hash of the password: in a filter, two places that an observer
/// > who shares the computer's caches or can see the file's reads could tell apart, which reveals up to 64 bits of MD4 or
/// > SHA-1; in a folder of ranges, 20 bits. Other users should not be able to read the files that a server looks into.
public struct PasswordBlocklist: Sendable, CustomStringConvertible {
    private let list: any WordLookup

    /// The path of the list, or a name that was given; for logs and administrators.
    public let name: String

    /// 19,640 common passwords, which are a part of the program: those that Django rejects. Letters of ASCII count in either
    /// case.
    public static let common = Self(CommonWords(), name: "common")

    private init(_ list: some WordLookup, name: String) {
        self.list = list
        self.name = name
    }

    /// Creates a list of words in memory.
    ///
    /// - Parameters:
    ///   - words: The words.
    ///   - name: A name for logs and administrators.
    public init(words: some Sequence<String>, name: String = "words") {
        var bytes: [UInt8] = []
        var ends: [Int] = []
        for word in words {
            bytes += word.utf8
            ends.append(bytes.count)
        }
        list = WordSet(bytes, ends: ends)
        self.name = name
    }

    /// Reads a file with a word on each line into memory, some 20 bytes for each word besides the words themselves. A
    /// carriage return at the end of a line is not a part of the word.
    ///
    /// - Parameter path: The path of an ordinary file of at most 256 MiB with at most 2²⁴ words; empty lines count once. Make
    ///   a filter of a larger one; see ``PasswordFilterBuilder``.
    /// - Throws: ``PasswordError/unreadableBlocklist``; ``PasswordError/overLimit``.
    public init(wordsIn path: String) throws(PasswordError) {
        try self.init(wordsIn: Array(path.utf8), name: path)
    }

    /// Whether this is a list of words without a line.
    package var hasNoWords: Bool { (list as? WordSet)?.wordCount == 0 }

    package init(wordsIn path: [UInt8], name: String) throws(PasswordError) {
        list = try WordSet(file: path)
        self.name = name
    }

    /// Opens a filter file, as ``PasswordFilterBuilder`` and passwdqc's `pwqfilter` write them. It is mapped into memory and
    /// not loaded.
    ///
    /// A filter never misses one of its words. It answers wrongly for fewer than one in 10⁹ of all others.
    ///
    /// - Parameters:
    ///   - path: The path of an ordinary file.
    ///   - function: The hash function, if the file does not record it because it was made of hashes (`--pre-hashed`).
    /// - Throws: ``PasswordError/unreadableBlocklist``; ``PasswordError/malformedBlocklist``, also if the file records
    ///   another function, or none and `function` is `nil`.
    public init(filter path: String, hashedWith function: HashFunction? = nil) throws(PasswordError) {
        try self.init(filter: Array(path.utf8), hashedWith: function, name: path)
    }

    package init(filter path: [UInt8], hashedWith function: HashFunction?, name: String) throws(PasswordError)
    {
        list = try FilterFile(path, hashedWith: function)
        self.name = name
    }

    /// Opens a folder of range files, as Have I Been Pwned's downloader writes them: `00000` to `FFFFF`, or the same with
    /// `.txt`, with the rest of a hash, a colon and a count on each line. Lines with the count 0 are padding.
    ///
    /// - Parameters:
    ///   - path: The path of the folder. A file is read when a password's hash begins with its name. A folder that lacks a
    ///     file does not answer for its passwords: ``contains(_:)`` throws.
    ///   - function: The hash function, `sha1` or `ntlm`.
    /// - Throws: ``PasswordError/unreadableBlocklist``.
    public init(pwnedRangesIn path: String, hashedWith function: HashFunction = .sha1) throws(PasswordError) {
        try self.init(pwnedRangesIn: Array(path.utf8), hashedWith: function, name: path)
    }

    package init(
        pwnedRangesIn path: [UInt8],
        hashedWith function: HashFunction,
        name: String
    ) throws(PasswordError) {
        list = try HashRanges(folder: path, hashedWith: function)
        self.name = name
    }

    /// Opens Have I Been Pwned's list as a single file of lines with a hash, a colon and a count, sorted by the hash. A
    /// lookup reads a few blocks of it.
    ///
    /// - Parameters:
    ///   - path: The path of an ordinary file.
    ///   - function: The hash function, `sha1` or `ntlm`.
    /// - Throws: ``PasswordError/unreadableBlocklist``; ``PasswordError/malformedBlocklist`` if the first line is not one of
    ///   such a list.
    public init(pwnedHashesIn path: String, hashedWith function: HashFunction = .sha1) throws(PasswordError) {
        try self.init(pwnedHashesIn: Array(path.utf8), hashedWith: function, name: path)
    }

    package init(
        pwnedHashesIn path: [UInt8],
        hashedWith function: HashFunction,
        name: String
    ) throws(PasswordError) {
        list = try SortedHashes(file: path, hashedWith: function)
        self.name = name
    }

    /// Returns whether a password is on the list.
    ///
    /// - Parameter password: The password, in the form in which the list has its words: UTF-8, normalized as they are.
    /// - Returns: Whether it is there.
    /// - Throws: ``PasswordError/unreadableBlocklist``, ``PasswordError/malformedBlocklist``,
    ///   ``PasswordError/changedBlocklist``. There is no answer then.
    public func contains(_ password: some SecretInput) throws(PasswordError) -> Bool {
        try password.withSecretBytes { (password) throws(PasswordError) in try list.contains(password) }
    }

    package func contains(span password: Span<UInt8>) throws(PasswordError) -> Bool {
        try list.contains(password)
    }

    /// The name.
    public var description: String { "‹blocklist \(name)›" }
}

/// A list that can tell whether it has a word.
protocol WordLookup: Sendable {
    func contains(_ word: Span<UInt8>) throws(PasswordError) -> Bool
}
