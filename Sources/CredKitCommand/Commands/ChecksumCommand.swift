// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit hash md5` and its family: prints and checks as `md5sum` and its family do.
struct ChecksumCommand<Function: DigestAlgorithm>: FileOperands {
    static var configuration: CommandConfiguration {
        let name = Function.name.lowercased()
        let isBroken = Function.digestByteCount <= Legacy.SHA1.digestByteCount
        return CommandConfiguration(
            commandName: name,
            abstract: "Print or check \(Function.name) digests of files, as \(name)sum does.",
            discussion: """
                For instance:
                  printf abc | credkit hash \(name)
                  credkit hash \(name) --check \(Function.name)SUMS

                With no FILE, or when FILE is -, reads standard input.\(isBroken
                    ? " \(Function.name) does not detect tampering: use sha256 for that." : "")
                """
        )
    }

    @Flag(name: .shortAndLong, help: "Check the digests that the files list.")
    var check = false

    /// How lines mark their files. If several marks are given, the last one applies.
    enum Mark: EnumerableFlag {
        case binary, text

        static func name(for value: Mark) -> NameSpecification { .shortAndLong }

        static func help(for value: Mark) -> ArgumentHelp? {
            switch value {
            case .binary: "Mark files as binary: * before their names."
            case .text: "Mark files as text (default)."
            }
        }
    }

    @Flag(exclusivity: .chooseLast)
    var mark: Mark?

    @Flag(help: "Print BSD-style lines: ALGORITHM (FILE) = DIGEST.")
    var tag = false

    @Flag(
        name: .shortAndLong,
        help: "End lines with NUL, and do not escape names."
    )
    var zero = false

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @OptionGroup(title: "Options for --check")
    var checkOptions: ChecksumCheckOptions

    @Argument(
        help: ArgumentHelp("Files to hash, or lists of digests with --check.", valueName: "file")
    )
    var files: [FileArgument] = []

    func validate() throws {
        if check {
            for (isSet, name) in [(tag, "--tag"), (zero, "--zero"), (mark != nil, "--binary or --text")]
            where isSet {
                throw ValidationError("\(name) is meaningless with --check; remove it.")
            }
        } else if let name = checkOptions.firstSet {
            throw ValidationError("\(name) is meaningful only with --check.")
        }
        if tag && mark == .text {
            throw ValidationError("--tag supports only binary mode; remove --text.")
        }
        if json && (tag || zero) {
            throw ValidationError("--json cannot be combined with --tag or --zero.")
        }
    }

    func run() throws {
        let style: ChecksumLine.Style = json ? .json : tag ? .tag : mark == .binary ? .binary : .text
        try CommandFailure.answeringOne {
            if check {
                try runChecks()
            } else {
                try ChecksumOutput.printDigests(
                    Function.self,
                    of: inputs,
                    style: style,
                    terminatedByNUL: zero
                )
            }
        }
    }

    private var inputs: [FileArgument] { files.isEmpty ? [.standardInput] : files }

    private func runChecks() throws {
        var verifier = ChecksumVerifier<Function>(options: checkOptions, json: json)
        for list in inputs { try verifier.verify(list) }
        if !verifier.allGood { throw CommandFailure(.no) }
    }
}

/// The options of `md5sum --check`.
struct ChecksumCheckOptions: ParsableArguments {
    /// The amount of output. If several are given, the last one applies.
    enum Report: EnumerableFlag {
        case quiet, status, warn

        static func name(for value: Report) -> NameSpecification {
            value == .warn ? .shortAndLong : .long
        }

        static func help(for value: Report) -> ArgumentHelp? {
            switch value {
            case .quiet: "Print nothing for files that match."
            case .status: "Print nothing; check the exit status."
            case .warn: "Name each malformed line."
            }
        }
    }

    @Flag(help: "Ignore missing files.")
    var ignoreMissing = false

    @Flag(exclusivity: .chooseLast)
    var report: Report?

    @Flag(help: "Fail for malformed lines, too.")
    var strict = false

    /// The name of an option that is set, if there is one.
    var firstSet: String? {
        if let report { return "--\(report)" }
        return ignoreMissing ? "--ignore-missing" : strict ? "--strict" : nil
    }
}
