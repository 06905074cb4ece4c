// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitTerminal
import HTTPTypes

/// The destination of a response: unchanged into a file or a pipe, as text on a terminal.
struct ResponseOutput {
    private let file: OutputFile
    /// Whether the response is shown on a terminal, which must not act on what the server sent. Naming the output, even
    /// as `-`, asks for the bytes.
    private let isShown: Bool

    /// Prepares the output.
    ///
    /// - Parameter file: The file to write; `nil` for standard output.
    /// - Throws: ``CommandFailure`` if no file can be written there.
    init(_ file: FileArgument?) throws(CommandFailure) {
        self.file = try OutputFile(file ?? .standardInput, mode: 0o600)
        isShown = file == nil && StandardStreams.writesToTerminal
    }

    /// Writes status and headers, and an empty line.
    func write(_ head: HTTPResponse) throws(CommandFailure) {
        var bytes = Array("HTTP \(head.status.code) \(head.status.reasonPhrase)\n".utf8)
        for field in head.headerFields {
            bytes += "\(field.name.rawName): ".utf8
            field.withUnsafeBytesOfValue { bytes += $0 }
            bytes.append(UInt8(ascii: "\n"))
        }
        try write(text: bytes + [UInt8(ascii: "\n")])
    }

    /// Writes a part of the body. Not for a terminal that is to show it.
    func write(body: [UInt8]) throws(CommandFailure) { try file.write(body) }

    /// Completes the file.
    func commit() throws(CommandFailure) { try file.commit() }

    /// Writes the body, and completes the file. A terminal shows JSON with indentation. A body with a NUL is not text and is
    /// not written there, as with curl.
    ///
    /// - Returns: Whether the body was written.
    func finish(with body: [UInt8], of head: HTTPResponse) throws(CommandFailure) -> Bool {
        guard !isShown || !body.contains(0) else { return false }
        if isShown, head.isJSON, let text = JSONLayout.text(body, hasColors: JSONLayout.usesColors) {
            try file.write(text)
        } else {
            try write(text: body)
        }
        try file.commit()
        return true
    }

    /// Writes whole lines.
    func write(lines: [UInt8]) throws(CommandFailure) { try write(text: lines) }

    /// Completes the file.
    func finish() throws(CommandFailure) { try file.commit() }

    private func write(text: [UInt8]) throws(CommandFailure) {
        try file.write(isShown ? ShellQuoting.escapingUnprintableLines(text) : text)
    }
}
