// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTerminal

/// The file of `--config`: a line `NAME VALUE` for each option, without its hyphens. Empty lines and lines that begin with `#` are
/// comments. A value ends with its line; there are no quotes and no escapes. The names of files are relative to the folder of this
/// file.
///
/// The lines become arguments before those of the command line, so that the same parser decides which are valid.
struct ConfigurationFile {
    /// A line with an option.
    private struct Entry {
        let name: String
        let value: String?
        let line: Int

        /// As on the command line.
        var option: String { "--\(name)" }

        var argument: String { value.map { "\(option)=\($0)" } ?? option }
    }

    private static let maximumByteCount = 1 << 20

    private let name: String
    /// What precedes the relative names of files: the folder with a slash; empty for the working folder.
    private let folder: String
    private var entries: [Entry] = []

    /// Reads a file. Others must not be able to change it: it names the users and the proxies that are trusted.
    ///
    /// - Parameters:
    ///   - file: The file.
    ///   - options: The options that it may have, by their names.
    /// - Throws: ``CommandFailure``.
    init(reading file: FileArgument, options: [String: ConfigurationOption]) throws(CommandFailure) {
        try self.init(
            parsing: ServerFile.read(file, upTo: Self.maximumByteCount),
            named: file.quotedForMessage,
            folder: file.descriptor == nil ? Self.folder(of: file) : "",
            options: options
        )
    }

    /// Parses the lines of the file.
    init(
        parsing bytes: [UInt8],
        named name: String,
        folder: String = "",
        options: [String: ConfigurationOption]
    ) throws(CommandFailure) {
        self.name = name
        self.folder = folder
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = Self.trimmed(line)
            guard let first = text.first, first != UInt8(ascii: "#") else { continue }
            try add(text, line: index + 1, options)
        }
    }

    private mutating func add(
        _ text: ArraySlice<UInt8>,
        line: Int,
        _ options: [String: ConfigurationOption]
    ) throws(CommandFailure) {
        let word = text.prefix { !Self.isBlank($0) }
        let value = Self.trimmed(text[word.endIndex...])
        let key = RawArguments.decode(Array(word))
        guard !text.contains(0) else { throw failure("there is a NUL byte in it", line) }
        guard key != "key-phrase" else {
            throw failure("a secret must not be in this file: give its own file with key-phrase-file", line)
        }
        guard let option = options[key] else {
            // What is no name may be a secret.
            let isName = word.allSatisfy { 97...122 ~= $0 || $0 == UInt8(ascii: "-") }
            throw failure(
                (isName ? "there is no option '\(key)'" : "it does not begin with the name of an option")
                    + "; see 'credkit-server --help', and leave out the two hyphens",
                line
            )
        }
        guard option.takesValue == !value.isEmpty else {
            throw failure("'\(key)' \(option.takesValue ? "requires a value" : "takes no value")", line)
        }
        // Other programs want it there. A value can begin with it, but not alone.
        let isDivided = value.first == UInt8(ascii: "=") && value.dropFirst().first.map(Self.isBlank) ?? true
        guard !isDivided else { throw failure("leave out the '=' between '\(key)' and its value", line) }
        if !option.isRepeatable, let other = entries.first(where: { $0.name == key }) {
            throw failure("'\(key)' is in line \(other.line) already, and can be given once", line)
        }
        var argument = option.takesValue ? RawArguments.decode(Array(value)) : nil
        if let name = argument, option.isFile, name != "-", !name.utf8.starts(with: "/".utf8) {
            argument = folder + name
        }
        entries.append(Entry(name: key, value: argument, line: line))
    }

    private static func folder(of file: FileArgument) -> String {
        let end = file.bytes.lastIndex(of: UInt8(ascii: "/")).map { $0 + 1 } ?? 0
        return RawArguments.decode(Array(file.bytes[..<end]))
    }

    private func failure(_ reason: String, _ line: Int) -> CommandFailure {
        CommandFailure(.usage, "\(name): line \(line): \(reason)")
    }

    private static func isBlank(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") || byte == UInt8(ascii: "\r")
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var bytes = bytes.drop(while: isBlank)
        while let last = bytes.last, isBlank(last) { bytes.removeLast() }
        return bytes
    }

    /// The lines that count beside a command line: an option there replaces all lines of the same name.
    private func entries(beside commandLine: [String]) -> [Entry] {
        entries.filter { entry in
            !commandLine.contains { argument in
                argument == entry.option || argument.utf8.starts(with: "\(entry.option)=".utf8)
            }
        }
    }

    /// Returns a command line with the options of the file before it.
    ///
    /// - Parameter commandLine: The arguments, without the program's name.
    /// - Returns: All arguments.
    func arguments(before commandLine: [String]) -> [String] {
        entries(beside: commandLine).map(\.argument) + commandLine
    }

    /// Returns the failure that names the line which a message of the argument parser is about.
    ///
    /// - Parameters:
    ///   - message: The message.
    ///   - commandLine: The arguments that were parsed with the file.
    /// - Returns: The failure; `nil` if no line has an option that the message names.
    func failure(_ message: String, beside commandLine: [String]) -> CommandFailure? {
        let entries = entries(beside: commandLine)
        for word in message.split(whereSeparator: { !($0.isLetter || $0.isNumber || $0 == "-") }) {
            let named = entries.filter { $0.option == word }
            guard let first = named.first else { continue }
            // Of a repeatable option, the line with the value that is not valid.
            let entry = named.first { message.hasPrefix("The value '\($0.value ?? "")' ") } ?? first
            return failure(CommandExit.withoutValue(message) ?? message, entry.line)
        }
        return nil
    }
}
