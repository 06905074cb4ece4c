// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit hash hmac-md5` and its family: authentication codes of files.
struct HMACCommand<Function: DigestAlgorithm>: FileOperands {
    static var configuration: CommandConfiguration {
        let name = "hmac-\(Function.name.lowercased())"
        return CommandConfiguration(
            commandName: name,
            abstract: "Print or check the HMAC-\(Function.name) of files, computed with a key.",
            discussion: """
                For instance:
                  printf hashcat | credkit hash \(name) --key 84143

                Prints only the code, one line per file. With no FILE, or when FILE is -, reads standard input. With \
                --check, prints OK or FAILED after the name of the file, and exits with 0 or \
                1.\(Function.self == Legacy.MD5.self
                    ? " For new designs use hmac-sha256." : "")
                """
        )
    }

    @OptionGroup(title: "Key")
    var keyOptions: KeyOptions

    @Flag(exclusivity: .exclusive)
    var encoding: CodeEncoding?

    @Option(
        name: .shortAndLong,
        parsing: .unconditional,
        help: ArgumentHelp(
            "Compare the code of one file with this one, in hexadecimal digits or Base64.",
            valueName: "code"
        )
    )
    var check: String?

    @Flag(name: .shortAndLong, help: "With --check, print nothing; check the exit status.")
    var quiet = false

    @Flag(help: "Print JSON (see docs/json.md).")
    var json = false

    @Argument(help: ArgumentHelp("The files to authenticate.", valueName: "file"))
    var files: [FileArgument] = []

    func validate() throws {
        try keyOptions.require()
        guard check == nil || encoding == nil else {
            throw ValidationError("--check accepts each encoding; remove --base64 or --base64url.")
        }
        guard check != nil || !quiet else {
            throw ValidationError("--quiet is meaningful only with --check.")
        }
        _ = try expectedCode()
    }

    func run() throws {
        let inputs = files.isEmpty ? [.standardInput] : files
        if let source = keyOptions.descriptor, inputs.contains(where: { $0.descriptor == source }) {
            throw ValidationError(
                "The key and a file cannot come from the same input; use another source for one of them."
            )
        }
        let expected = try expectedCode()
        guard expected == nil || inputs.count == 1 else {
            throw ValidationError("--check compares the code of one file; check each file alone.")
        }
        let key = HMAC<Function>.Key(try keyOptions.read())
        var status: ExitStatus?
        for file in inputs {
            do {
                var code = HMAC<Function>(key: key)
                try InputFile(file).forEachChunk { code.update($0) }
                let result = code.finalizeAndWipe()
                if let expected {
                    if try !compare(result, with: expected, of: file) { status = .no }
                } else {
                    try print(result, of: file)
                }
            } catch let error as FileError {
                StandardStreams.report("\(file.quoted): \(error.message)")
                status = .inputOutput
            }
        }
        if let status { throw CommandFailure(status) }
    }

    private func print(_ code: Function.Digest, of file: FileArgument) throws {
        let text =
            switch encoding {
            case nil: Hex.encode(code)
            case .base64: Base64.standard.encode(code)
            case .base64url: Base64.urlSafe.unpadded.encode(code)
            }
        let members = ["algorithm": "HMAC-\(Function.name)", "code": text, "file": file.display]
        try CommandOutput(json: json).print(members, text: text)
    }

    /// Compares codes in a time that does not depend on where they differ, and prints the result.
    private func compare(
        _ code: Function.Digest,
        with expected: [UInt8],
        of file: FileArgument
    ) throws -> Bool {
        let isSame = ConstantTime.areEqual(expected, code)
        let members = ["file": file.display, "status": isSame ? "ok" : "failed"]
        // As with checksums, a name with a line feed must not look like two results.
        let escaped = file.bytes.contains(UInt8(ascii: "\n")) ? FileNameEscaping.escape(file.bytes) : nil
        let name = escaped.map { "\\" + String(decoding: $0, as: UTF8.self) } ?? file.display
        try CommandOutput(json: json, quiet: quiet).print(
            members,
            text: "\(name): \(isSame ? "OK" : "FAILED")"
        )
        return isSame
    }

    /// The bytes of the code that `--check` names; `nil` without the option. Its length tells hexadecimal digits from
    /// Base64.
    private func expectedCode() throws -> [UInt8]? {
        guard let check else { return nil }
        let text = Array(check.utf8)
        let count = Function.digestByteCount
        let code: [UInt8]?
        if text.count == 2 * count {
            code = try? Hex.decode(text)
        } else {
            let isURLSafe = text.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
            let padded: Base64 = isURLSafe ? .urlSafe : .standard
            code = try? (text.last == UInt8(ascii: "=") ? padded : padded.unpadded).decode(text)
        }
        guard let code, code.count == count else {
            throw ValidationError(
                "--check takes a code of \(count) bytes: \(2 * count) hexadecimal digits, or their Base64."
            )
        }
        return code
    }
}

/// How a code is printed, if not in hexadecimal digits.
enum CodeEncoding: EnumerableFlag {
    case base64, base64url

    static func name(for value: CodeEncoding) -> NameSpecification {
        switch value {
        case .base64: .customLong("base64")
        case .base64url: .customLong("base64url")
        }
    }

    static func help(for value: CodeEncoding) -> ArgumentHelp? {
        switch value {
        case .base64: "Print Base64 instead of hexadecimal digits."
        case .base64url:
            "Print Base64 for URLs, without padding."
        }
    }
}
