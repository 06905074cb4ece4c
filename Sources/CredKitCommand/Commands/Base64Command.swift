// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitTerminal

/// `credkit base64`: encodes and decodes as coreutils' base64 does.
struct Base64Command: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "base64",
        abstract: "Encode or decode Base64, as coreutils' base64 does.",
        discussion: """
            For instance:
              printf 'hello' | credkit base64
              printf 'aGVsbG8=' | credkit base64 --decode

            With no FILE, or when FILE is -, reads standard input. Base64 is an encoding, not encryption.
            """
    )

    @Flag(
        name: [.customShort("d"), .customShort("D"), .long],
        help: "Decode data, ignoring line feeds."
    )
    var decode = false

    @Flag(name: .shortAndLong, help: "When decoding, ignore all characters outside the alphabet.")
    var ignoreGarbage = false

    @Option(
        name: [.customShort("w", allowingJoined: true), .long],
        help: ArgumentHelp("Wrap lines after this many characters; 0 disables wrapping.", valueName: "cols")
    )
    var wrap = LineLength(76)

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "Write the result to this file, which gets its new content only when all of it is written.",
            valueName: "file"
        )
    )
    var output: FileArgument?

    @Flag(help: "Use the alphabet with - and _, for URLs and file names.")
    var url = false

    @Flag(help: "Use Base64 without = padding at the end.")
    var noPadding = false

    @Argument(help: ArgumentHelp("The file to encode or decode.", valueName: "file"))
    var file: FileArgument?

    private var source: FileArgument { file ?? .standardInput }

    /// Large enough to hide the cost of system calls, small enough for input and output to stay in the cache.
    private static let chunkByteCount = 192 * 1024

    private var base64: Base64 {
        let padded: Base64 = url ? .urlSafe : .standard
        return noPadding ? padded.unpadded : padded
    }

    func run() throws {
        do {
            let input = try InputFile(source)
            let destination = try OutputFile(output ?? .standardInput, mode: 0o666)
            try CommandFailure.answeringOne {
                try decode ? runDecoder(input, destination) : runEncoder(input, destination)
                try destination.commit()
            }
        } catch let error as FileError {
            let place = error.operation == .open ? source.quoted : "read error"
            throw CommandFailure(.no, "\(place): \(error.message)")
        }
    }

    private func runEncoder(_ input: InputFile, _ destination: OutputFile) throws {
        var encoder = base64.makeEncoder(lineLength: wrap.characters)
        var output: [UInt8] = []
        var isEmpty = true
        try input.forEachChunk(byteCount: Self.chunkByteCount, writesMeanwhile: true) { chunk in
            output.removeAll(keepingCapacity: true)
            encoder.update(chunk, into: &output)
            try destination.write(output)
            isEmpty = false
        }
        output.removeAll(keepingCapacity: true)
        encoder.finalize(into: &output)
        if wrap.characters > 0 && !isEmpty { output.append(UInt8(ascii: "\n")) }
        try destination.write(output)
    }

    private func runDecoder(_ input: InputFile, _ destination: OutputFile) throws {
        var decoder = base64.makeLenientDecoder(ignoring: ignoreGarbage ? .garbage : .lineFeeds)
        var output: [UInt8] = []
        do {
            try input.forEachChunk(byteCount: Self.chunkByteCount, writesMeanwhile: true) { chunk in
                output.removeAll(keepingCapacity: true)
                try decoder.update(chunk, into: &output)
                try destination.write(output)
            }
            output.removeAll(keepingCapacity: true)
            try decoder.finalize(into: &output)
            try destination.write(output)
        } catch is Base64.DecodingError {
            // Everything before the error has been decoded, so it is still written.
            StandardStreams.report("invalid input")
            decoder.salvage(into: &output)
            try destination.write(output)
            throw CommandFailure(.no)
        }
    }
}

/// The number of characters in a line; 0 disables wrapping.
struct LineLength: ExpressibleByArgument, CustomStringConvertible {
    let characters: Int

    init(_ characters: Int) {
        self.characters = characters
    }

    init?(argument: String) {
        // Like strtol, accept leading blanks and a plus sign.
        var digits = argument.drop { $0 == " " || $0 == "\t" }
        if digits.first == "+" { digits = digits.dropFirst() }
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (48...57).contains($0) }) else { return nil }
        // A number that is too large disables wrapping, too.
        characters = Int(digits) ?? 0
    }

    var description: String { "\(characters)" }
}
