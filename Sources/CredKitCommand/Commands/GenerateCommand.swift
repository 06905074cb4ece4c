// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal
import Glibc

/// `credkit generate`: a random password or passphrase.
struct GenerateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Print a random password or passphrase.",
        discussion: """
            For instance:
              credkit generate
              credkit generate --readable --bits 80
              credkit generate --words 6

            Each character or word is chosen independently, all with the same probability. The words are the 7,776 of the \
            long list of the Electronic Frontier Foundation (CC BY 3.0), 12.9 bits each. If standard error is a terminal, it \
            gets the strength in bits.
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

    @Option(help: ArgumentHelp("A passphrase of this number of words.", valueName: "n"))
    var words: Int?

    @Option(help: ArgumentHelp("What stands between words (default: -).", valueName: "text"))
    var separator: String?

    @Flag(help: "Print JSON (see docs/json.md).")
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
        guard
            words == nil || length == nil && bits == nil && alphabet == nil && characters == nil && !readable
        else {
            throw ValidationError("--words cannot be combined with the options for characters.")
        }
        guard words != nil || separator == nil else { throw ValidationError("--separator needs --words.") }
        guard [alphabet != nil, characters != nil, readable].count(where: { $0 }) <= 1 else {
            throw ValidationError("Give only one of --alphabet, --characters and --readable.")
        }
        do throws(PasswordError) {
            _ = try makeGenerator()
        } catch {
            throw ValidationError("\(refusedOption): \(error)")
        }
    }

    /// The option that no generator can be made with.
    private var refusedOption: String {
        if let words { return 1...PassphraseGenerator.maximumWordCount ~= words ? "--separator" : "--words" }
        if let characters, (try? PasswordGenerator.Alphabet(characters)) == nil { return "--characters" }
        return length == nil ? "--bits" : "--length"
    }

    /// What makes the password, and its strength in bits.
    private struct Generator {
        let bits: Double
        let generate: () throws(SecretMemoryError) -> SecretBytes
    }

    private func makeGenerator() throws(PasswordError) -> Generator {
        guard let words else {
            let generator = try makeCharacterGenerator()
            return Generator(bits: generator.bits, generate: generator.generate)
        }
        let generator = try PassphraseGenerator(wordCount: words, separator: separator ?? "-")
        return Generator(bits: generator.bits, generate: generator.generate)
    }

    private func makeCharacterGenerator() throws(PasswordError) -> PasswordGenerator {
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
