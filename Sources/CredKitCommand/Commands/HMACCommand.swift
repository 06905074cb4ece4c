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
            abstract: "Print the HMAC-\(Function.name) of files, computed with a key.",
            discussion: """
                For instance:
                  printf hashcat | credkit hash \(name) --key 84143

                Prints only the hexadecimal digits, one line per file. With no FILE, or when FILE is -, \
                read standard input.\(Function.self == Legacy.MD5.self
                    ? " For new designs use hmac-sha256." : "")
                """
        )
    }

    @OptionGroup(title: "Key")
    var keyOptions: KeyOptions

    @Flag(help: "Print one JSON object per line: algorithm, code, file.")
    var json = false

    @Argument(help: ArgumentHelp("The files to authenticate.", valueName: "file"))
    var files: [FileArgument] = []

    func validate() throws { try keyOptions.require() }

    func run() throws {
        let inputs = files.isEmpty ? [.standardInput] : files
        if let source = keyOptions.descriptor, inputs.contains(where: { $0.descriptor == source }) {
            throw ValidationError(
                "The key and a file cannot come from the same input; use another source for one of them."
            )
        }
        let key = HMAC<Function>.Key(try keyOptions.read())
        var didFail = false
        for file in inputs {
            do {
                var code = HMAC<Function>(key: key)
                try InputFile(file).forEachChunk { code.update($0) }
                let hex = Hex.encode(code.finalizeAndWipe())
                let members = ["algorithm": "HMAC-\(Function.name)", "code": hex, "file": file.display]
                try CommandOutput(json: json).print(members, text: hex)
            } catch let error as FileError {
                StandardStreams.report("\(file.quoted): \(error.message)")
                didFail = true
            }
        }
        if didFail { throw CommandFailure(.inputOutput) }
    }
}
