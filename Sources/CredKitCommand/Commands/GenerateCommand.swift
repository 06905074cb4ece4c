// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal
import Glibc

/// `credkit generate`: a random password.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Print a random password.",
        discussion: """
            For instance:
              credkit generate
              credkit generate --readable --bits 80

            Each character is chosen independently, with the same probability for all characters of the alphabet. If \
            standard error is a terminal, it gets the strength in bits.
            """
    )

    @Option(help: ArgumentHelp("The number of characters.", valueName: "n"))
    var length: Int?

    @Option(help: ArgumentHelp("The minimum strength (default: 128).", valueName: "n"))
    var bits: Int?

    @Option(
        help: ArgumentHelp(
            "The characters: digits, hexadecimal, lowercase, letters, alphanumeric (the default), printable, readable.",
            valueName: "name"
        ),
        transform: Self.named
    )
    var alphabet: PasswordGenerator.Alphabet?

    @Option(help: ArgumentHelp("The characters themselves, in place of --alphabet.", valueName: "text"))
    var characters: String?

    @Flag(help: "Easy to read out: groups of five, without characters that look alike.")
    var readable = false

    @Flag(help: "Print one JSON object: password, bits.")
    var json = false

    @OptionGroup
    var strayArguments: UnexpectedArguments

    private static func named(_ name: String) throws -> PasswordGenerator.Alphabet {
        guard let entry = PasswordGenerator.Alphabet.named.first(where: { $0.name == name }) else {
            let names = PasswordGenerator.Alphabet.named.map(\.name)
            throw ValidationError("--alphabet takes \(NearestWord.advice(name, among: names))")
        }
        return entry.alphabet
    }

    func validate() throws {
        guard length == nil || bits == nil else {
            throw ValidationError("Give only one of --length and --bits.")
        }
        guard [alphabet != nil, characters != nil, readable].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give only one of --alphabet, --characters and --readable.")
        }
        do throws(PasswordError) {
            _ = try makeGenerator()
        } catch {
            throw ValidationError(error.description)
        }
    }

    private func makeGenerator() throws(PasswordError) -> PasswordGenerator {
        var chosen = readable ? .readable : alphabet ?? .alphanumeric
        if let characters { chosen = try PasswordGenerator.Alphabet(characters) }
        if let length { return try PasswordGenerator(length: length, alphabet: chosen, isGrouped: readable) }
        return try PasswordGenerator(bits: bits ?? 128, alphabet: chosen, isGrouped: readable)
    }

    /// The output of `--json`.
    private struct Result: Encodable {
        let password: String
        let bits: Double
    }

    func run() throws {
        let generator = try makeGenerator()
        let password = try generator.generate()
        let strength = (generator.bits * 10).rounded(.down) / 10
        if json {
            let text = password.withSecretBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
            try CommandOutput(json: true).print(Result(password: text, bits: strength), text: "")
        } else {
            try StandardStreams.write(password)
            try StandardStreams.writeLine("")
        }
        if isatty(STDERR_FILENO) == 1 { StandardStreams.show("\(strength) bits\n") }
    }
}
