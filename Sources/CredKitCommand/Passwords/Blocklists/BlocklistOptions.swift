// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitSystem
import CredKitTerminal
import Glibc

/// The options that name lists of rejected passwords.
struct BlocklistOptions: ParsableArguments {
    @Option(help: ArgumentHelp("A built-in list.", valueName: "name"))
    var list: [BuiltInBlocklist] = []

    @Option(
        help: ArgumentHelp(
            "A filter of 'blocklist build' or pwqfilter; add --hash to one of hashes.",
            valueName: "file"
        )
    )
    var filter: [FileArgument] = []

    @Option(help: ArgumentHelp("A file with a password on each line.", valueName: "file"))
    var words: [FileArgument] = []

    @Option(
        help: ArgumentHelp(
            "Have I Been Pwned's folder of ranges, or file sorted by hash.",
            valueName: "path"
        )
    )
    var pwned: [FileArgument] = []

    @OptionGroup
    var function: HashFunctionOption

    func validate() throws {
        guard !(filter + words + pwned).contains(where: { $0.isStandardInput }) else {
            throw ValidationError("--filter, --words and --pwned take files.")
        }
    }

    /// Opens all lists.
    func open() throws -> [PasswordBlocklist] {
        for file in words { try Self.refuseHashes(file) }
        let files = try openFiles()
        return list.isEmpty && !files.isEmpty ? files : [.common] + files
    }

    private func openFiles() throws -> [PasswordBlocklist] {
        let declared = function.function
        return try filter.map { file in
            try naming(file) { () throws(PasswordError) in
                try PasswordBlocklist(filter: file.bytes, hashedWith: declared, name: file.display)
            }
        }
            + words.map { file -> PasswordBlocklist in
                let list = try naming(file) { () throws(PasswordError) in
                    try PasswordBlocklist(wordsIn: file.bytes, name: file.display)
                }
                // It would accept everything, probably because what should have written it has failed.
                guard !list.hasNoWords else {
                    throw CommandFailure(.malformed, "\(file.quoted): the list is empty")
                }
                return list
            }
            + pwned.map { file in
                try naming(file) { () throws(PasswordError) in
                    try Self.isFolder(file)
                        ? PasswordBlocklist(
                            pwnedRangesIn: file.bytes,
                            hashedWith: declared ?? .sha1,
                            name: file.display
                        )
                        : PasswordBlocklist(
                            pwnedHashesIn: file.bytes,
                            hashedWith: declared ?? .sha1,
                            name: file.display
                        )
                }
            }
    }

    /// Rejects a list of hashes among the lists of passwords: no password would be found in it.
    private static func refuseHashes(_ file: FileArgument) throws {
        // What cannot be read is reported when the list is opened.
        guard let descriptor = try? Descriptor(ordinaryFileAt: file.bytes, "cannot read the list"),
            let start = try? descriptor.readBytes(at: 0, count: 256, "cannot read the list")
        else { return }
        let lines = start.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
            .dropLast()
        guard !lines.isEmpty, lines.allSatisfy(isHash) else { return }
        throw CommandFailure(.malformed, "\(file.quoted): it is a list of hashes: give it with --pwned")
    }

    /// Whether a line has the digits of SHA-1, MD4 or NTLM, perhaps with a colon and a count.
    private static func isHash(_ line: ArraySlice<UInt8>) -> Bool {
        let digits = line.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: "\r") }
        return [32, 40].contains(digits.count)
            && digits.allSatisfy { Character(Unicode.Scalar($0)).isHexDigit && $0 < 128 }
    }

    private static func isFolder(_ file: FileArgument) -> Bool {
        var status = stat()
        return stat(file.bytes.map { CChar(bitPattern: $0) } + [0], &status) == 0
            && status.st_mode & S_IFMT == S_IFDIR
    }

    private func naming(
        _ file: FileArgument,
        _ body: () throws(PasswordError) -> PasswordBlocklist
    ) throws -> PasswordBlocklist {
        do throws(PasswordError) {
            return try body()
        } catch {
            let advice =
                "\(error)".hasSuffix("which must be named") ? ": add --hash sha1, if it is of SHA-1" : ""
            throw CommandFailure(CommandFailure(reporting: error).status, "\(file.quoted): \(error)\(advice)")
        }
    }
}

/// The argument of `--list`.
enum BuiltInBlocklist: String, ExpressibleByArgument, CaseIterable {
    case common
}

/// The option that names the hash function of a list.
struct HashFunctionOption: ParsableArguments {
    @Option(
        name: .customLong("hash"),
        help: ArgumentHelp(
            "md4, ntlm-cp1252, sha1 or ntlm (default: sha1 for hashes, otherwise md4).",
            valueName: "function"
        ),
        transform: Self.parse
    )
    var function: PasswordBlocklist.HashFunction?

    private static func parse(_ text: String) throws -> PasswordBlocklist.HashFunction {
        guard let function = PasswordBlocklist.HashFunction.all.first(where: { $0.description == text })
        else {
            let names = PasswordBlocklist.HashFunction.all.map(\.description)
            throw ValidationError("--hash takes \(NearestWord.advice(text, among: names))")
        }
        return function
    }
}
