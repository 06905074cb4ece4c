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
            abstract: "Prints the HMAC-\(Function.name) of files under a key.",
            discussion: """
                For instance:
                  printf hashcat | credkit hash \(name) --key 84143

                Prints the hexadecimal digits alone, a line for each file. Without FILE, or when it is -, \
                standard input is read.\(Function.self == Legacy.MD5.self
                    ? " For new designs use hmac-sha256." : "")
                """
        )
    }

    @OptionGroup(title: "Key")
    var keyOptions: KeyOptions

    @Flag(help: "Print one JSON object a line: algorithm, code, file.")
    var json = false

    @Argument(help: ArgumentHelp("The files.", valueName: "file"))
    var files: [FileArgument] = []

    func validate() throws { try keyOptions.require() }

    func run() throws {
        let inputs = files.isEmpty ? [.standardInput] : files
        if let source = keyOptions.descriptor, inputs.contains(where: { $0.descriptor == source }) {
            throw ValidationError("One input cannot be both the key and a file; give one of them otherwise.")
        }
        let key = HMAC<Function>.Key(try keyOptions.read())
        var didFail = false
        for file in inputs {
            do {
                var code = HMAC<Function>(key: key)
                try InputFile(file).forEachChunk { code.update($0) }
                let hex = Hex.encode(code.finalizeAndWipe())
                let members = ["algorithm": "HMAC-\(Function.name)", "code": hex, "file": file.display]
                try json ? StandardStreams.write(JSONLine(members).bytes) : StandardStreams.writeLine(hex)
            } catch let error as FileError {
                StandardStreams.report("\(file.quoted): \(error.message)")
                didFail = true
            }
        }
        if didFail { throw CommandFailure(.inputOutput) }
    }
}
