// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import Glibc

/// A folder of files with the hashes that begin with the file's name, as Have I Been Pwned's downloader writes them.
struct HashRanges: WordLookup {
    /// The number of hexadecimal digits in a file's name.
    static let prefixDigitCount = 5
    /// The maximum size of a file: more than ten times that of the largest one.
    static let maximumByteCount = 1 << 20

    private let folder: [UInt8]
    private let function: PasswordBlocklist.HashFunction

    init(
        folder: [UInt8],
        hashedWith function: PasswordBlocklist.HashFunction
    ) throws(PasswordError) {
        var status = stat()
        let path = folder.map { CChar(bitPattern: $0) } + [0]
        guard !folder.contains(0), unsafe stat(path, &status) == 0 else {
            throw PasswordError(
                unreadable: SystemError(folder.contains(0) ? EINVAL : errno, "cannot read the folder")
            )
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw PasswordError(unreadable: SystemError(ENOTDIR, "cannot read the folder"))
        }
        self.folder = folder
        self.function = function
    }

    func contains(_ word: Span<UInt8>) throws(PasswordError) -> Bool {
        guard let digits = function.digits(of: word) else { return false }
        let prefix = digits.prefix(Self.prefixDigitCount).map { $0 >= 0x61 ? $0 - 0x20 : $0 }
        let lines = try read(prefix)
        return try Self.find(digits.span.extracting(prefix.count...), in: lines.span)
    }

    /// Returns whether the text of a range file has the rest of a hash, with a count above 0.
    static func find(_ digits: Span<UInt8>, in lines: Span<UInt8>) throws(PasswordError) -> Bool {
        var (isThere, isMalformed) = (false, false)
        HashLine.forEachLine(of: lines) { line in
            guard let count = HashLine.count(in: line, digitCount: digits.count, requiresCount: true) else {
                isMalformed = true
                return false
            }
            isThere = count > 0 && HashLine.compare(line.extracting(..<digits.count), digits) == 0
            return !isThere
        }
        guard !isMalformed else { throw .malformedBlocklist("a line of a range is no hash and count") }
        return isThere
    }

    /// Reads the file of a range, whose name may end in `.txt`.
    private func read(_ prefix: [UInt8]) throws(PasswordError) -> [UInt8] {
        let path = folder + [UInt8(ascii: "/")] + prefix
        let name = String(decoding: prefix, as: UTF8.self)
        let bytes: [UInt8]
        do throws(SystemError) {
            var file = try Self.open(path + Array(".txt".utf8))
            if file == nil { file = try Descriptor(ordinaryFileAt: path, "cannot read the range \(name)") }
            bytes =
                try file?.readAll(limit: Self.maximumByteCount + 1, expecting: Self.maximumByteCount) ?? []
        } catch {
            throw PasswordError(unreadable: error)
        }
        guard 1...Self.maximumByteCount ~= bytes.count else {
            throw .malformedBlocklist(
                "the range \(name) is empty, or larger than \(MemorySize.bytes(Self.maximumByteCount))"
            )
        }
        return bytes
    }

    /// Opens a file; `nil` if there is none.
    private static func open(_ path: [UInt8]) throws(SystemError) -> Descriptor? {
        do throws(SystemError) {
            return try Descriptor(ordinaryFileAt: path, "cannot read a range")
        } catch {
            guard error.kind == .notFound else { throw error }
            return nil
        }
    }
}
