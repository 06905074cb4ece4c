// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit base64`: encodes and decodes as coreutils' base64 does.
struct Base64Command: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "base64",
        abstract: "Encodes or decodes Base64, as coreutils' base64 does.",
        discussion: """
            For instance:
              printf 'hello' | credkit base64

            Without FILE, or when it is -, standard input is read. Base64 is an encoding, not encryption.
            """
    )

    @Flag(name: .shortAndLong, help: "Decode; line feeds are passed over.")
    var decode = false

    @Flag(name: .shortAndLong, help: "When decoding, pass over all characters that are not of the alphabet.")
    var ignoreGarbage = false

    @Option(
        name: [.customShort("w", allowingJoined: true), .long],
        help: ArgumentHelp("Break lines after that many characters; 0 for one line.", valueName: "cols")
    )
    var wrap = LineLength(76)

    @Flag(help: "The alphabet with - and _, for URLs and file names.")
    var url = false

    @Flag(help: "Without = at the end.")
    var noPadding = false

    @Argument(help: ArgumentHelp("The file.", valueName: "file"))
    var file = FileArgument.standardInput

    /// Large enough that system calls do not show, small enough that both sides stay in the cache.
    private static let chunkByteCount = 192 * 1024

    private var base64: Base64 {
        let padded: Base64 = url ? .urlSafe : .standard
        return noPadding ? padded.unpadded : padded
    }

    func run() throws {
        do {
            let input = try InputFile(file)
            try CommandFailure.answeringOne { try decode ? runDecoder(input) : runEncoder(input) }
        } catch let error as FileError {
            let place = error.operation == .open ? file.quoted : "read error"
            throw CommandFailure(.no, "\(place): \(error.message)")
        }
    }

    private func runEncoder(_ input: InputFile) throws {
        var encoder = base64.makeEncoder(lineLength: wrap.characters)
        var output: [UInt8] = []
        var isEmpty = true
        try input.forEachChunk(byteCount: Self.chunkByteCount, writesMeanwhile: true) { chunk in
            output.removeAll(keepingCapacity: true)
            encoder.update(chunk, into: &output)
            try StandardStreams.write(output)
            isEmpty = false
        }
        output.removeAll(keepingCapacity: true)
        encoder.finalize(into: &output)
        if wrap.characters > 0 && !isEmpty { output.append(UInt8(ascii: "\n")) }
        try StandardStreams.write(output)
    }

    private func runDecoder(_ input: InputFile) throws {
        var decoder = base64.makeLaxDecoder(skipping: ignoreGarbage ? .garbage : .lineFeeds)
        var output: [UInt8] = []
        do {
            try input.forEachChunk(byteCount: Self.chunkByteCount, writesMeanwhile: true) { chunk in
                output.removeAll(keepingCapacity: true)
                try decoder.update(chunk, into: &output)
                try StandardStreams.write(output)
            }
            output.removeAll(keepingCapacity: true)
            try decoder.finalize(into: &output)
            try StandardStreams.write(output)
        } catch is Base64.DecodingError {
            // What stands before the error has been decoded, and is written as far as it goes.
            StandardStreams.report("invalid input")
            decoder.salvage(into: &output)
            try StandardStreams.write(output)
            throw CommandFailure(.no)
        }
    }
}

/// The characters of a line: a whole number, where 0 stands for no end.
struct LineLength: ExpressibleByArgument, CustomStringConvertible {
    let characters: Int

    init(_ characters: Int) {
        self.characters = characters
    }

    init?(argument: String) {
        // As strtol has it: blanks and a plus sign may come first.
        var digits = argument.drop { $0 == " " || $0 == "\t" }
        if digits.first == "+" { digits = digits.dropFirst() }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        // A line longer than any number has no end either.
        characters = Int(digits) ?? 0
    }

    var description: String { "\(characters)" }
}
