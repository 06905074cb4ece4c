// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// The help of a command. Options that many commands share are named on its page, and explained by a topic.
enum HelpPage {
    /// The topics whose options are the same on every page, so that a page names the topic alone.
    static let namedAlone: Set<HelpTopic> = [.keychainOptions, .connectionOptions]

    /// The sections that are left to a topic, by their titles.
    static let shared: [(title: String, topic: HelpTopic)] = [
        ("In the browser", .login),
        ("Password", .passwordOptions),
        ("Keychain", .keychainOptions),
        ("Connection", .connectionOptions),
        ("Costs of the new hashes", .costOptions),
        ("Keys and limits", .costOptions),
        ("The table", .tableOptions),
        ("Bare hexadecimal hashes", .tableOptions),
        ("SCRAM verifiers", .tableOptions),
        ("A table in PostgreSQL", .databaseOptions),
    ]

    /// Shortens a page that the argument parser wrote: the sections that are left to a topic come last, with names only.
    /// Other texts are returned unchanged.
    static func shortened(_ text: String) -> String {
        guard text.hasPrefix("OVERVIEW: ") else { return text }
        let isRoot = text.contains("\nUSAGE: credkit <")
        var page: [String] = []
        var folded: [String] = []
        var names: [String]?
        var isNamed = true
        func endSection() {
            if let names, isNamed { folded += lines(names) + [""] }
            names = nil
        }
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if let (title, topic) = shared.first(where: { "\($0.title.uppercased()):" == line }) {
                endSection()
                if namedAlone.contains(topic) {
                    folded += ["\(title.uppercased()): see 'credkit help \(topic.rawValue)'.", ""]
                    isNamed = false
                } else {
                    folded.append("\(title.uppercased()), see 'credkit help \(topic.rawValue)':")
                    isNamed = true
                }
                names = []
            } else if names == nil || !(line.isEmpty || line.hasPrefix(" ")) {
                endSection()
                if isRoot || !everyPage.contains(line) { page += fitting(line) }
            } else if let name = optionName(line) {
                names?.append(name)
            }
        }
        endSection()
        if page.last?.isEmpty == false { page.append("") }
        // A page whose only further options were those of every page.
        return (page + folded).joined(separator: "\n").replacing("\nOPTIONS:\n\n", with: "\n")
            .trimmingSuffix()
    }

    /// Shortens the usage below a message on an invalid command line, as on a page.
    static func shortenedUsage(_ text: String) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line -> [String] in
            guard line.hasPrefix("Usage: ") else { return [String(line)] }
            return fitting("USAGE: \(line.dropFirst("Usage: ".count))").map { line in
                line.hasPrefix("USAGE: ") ? "Usage: \(line.dropFirst("USAGE: ".count))" : line
            }
        }
        .joined(separator: "\n")
    }

    /// Returns the options of a section of a command's page, with their explanations.
    static func section(_ title: String, of command: any ParsableCommand.Type) -> String {
        let text = CredKitCommand.helpMessage(for: command, columns: 80)
        guard let start = text.firstRange(of: "\n\(title.uppercased()):\n") else { return "" }
        let lines = text[start.upperBound...].split(separator: "\n", omittingEmptySubsequences: false)
        return lines.prefix { $0.isEmpty || $0.hasPrefix(" ") }.joined(separator: "\n").trimmingSuffix()
    }

    /// What the argument parser adds to each command.
    private static let everyPage: Set = [
        "  --version               Show the version.", "  -h, --help              Show help information.",
    ]

    /// Returns the long name of the option that a line begins to explain.
    private static func optionName(_ line: String) -> String? {
        guard line.hasPrefix("  -") else { return nil }
        return line.split(separator: " ").prefix { $0.hasPrefix("-") }.last.map(String.init)
    }

    /// Returns the lines that stand for a line of a page: the usage fits a terminal, and groups of subcommands have the
    /// title that they were given.
    private static func fitting(_ line: String) -> [String] {
        let suffix = " SUBCOMMANDS:"
        if !line.hasPrefix(" "), line.hasSuffix(suffix) { return [String(line.dropLast(suffix.count)) + ":"] }
        guard line.hasPrefix("USAGE: ") else { return [line] }
        // The argument parser leaves out the brackets if there is nothing else.
        let line = line.replacing(" <options>", with: " [<options>]")
        guard line.utf8.count > 80 else { return [line] }
        var words: [String] = []
        var isOption = false
        for word in line.split(separator: " ") {
            isOption = isOption || word.hasPrefix("[-")
            let shown = isOption ? "[<options>]" : String(word)
            if !isOption || !words.contains(shown) { words.append(shown) }
            if word.hasSuffix("]") { isOption = false }
        }
        return words.dropFirst().reduce(into: [words[0]]) { lines, word in
            let last = lines.count - 1
            if lines[last].utf8.count + word.utf8.count < 80 {
                lines[last] += " \(word)"
            } else {
                lines.append("       \(word)")
            }
        }
    }

    /// Returns names in lines that fit a terminal of 80 columns.
    private static func lines(_ names: [String]) -> [String] {
        var lines = [" "]
        for (index, name) in names.enumerated() {
            let word = " " + name + (index == names.count - 1 ? "" : ",")
            if lines[lines.count - 1].utf8.count + word.utf8.count > 78 { lines.append(" ") }
            lines[lines.count - 1] += word
        }
        return lines
    }
}

extension String {
    /// The text without line feeds and blanks at its end.
    fileprivate func trimmingSuffix() -> String {
        var text = self[...]
        while text.last?.isWhitespace == true { text.removeLast() }
        return String(text)
    }
}
