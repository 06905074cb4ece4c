// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
public import CredKit
import Glibc

/// An open file or standard input. The file is closed when this object is deallocated.
public final class InputFile {
    private let file: FileArgument
    private let descriptor: Int32
    private let isOwned: Bool

    /// Opens a file.
    ///
    /// - Parameter file: The name of the file.
    /// - Throws: ``FileError`` if it cannot be opened.
    public init(_ file: FileArgument) throws(FileError) {
        self.file = file
        if file.isStandardInput {
            descriptor = STDIN_FILENO
            isOwned = false
            // Otherwise a file that was forgotten looks like a command that hangs.
            if isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1 {
                StandardStreams.show("(reading from the terminal; Ctrl-D on an empty line ends the input)\n")
            }
            return
        }
        let path = file.bytes.map { CChar(bitPattern: $0) } + [0]
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        isOwned = true
        guard descriptor >= 0 else { throw FileError(.open, errorNumber: errno) }
    }

    /// Refuses a file that other users can change or replace, as one that is trusted must not be used.
    ///
    /// - Throws: ``CommandFailure``.
    public func refuseIfOthersCanChange() throws(CommandFailure) {
        guard isOwned else { return }
        try Self.refuseIfOthersCanChange(descriptor, file)
    }

    /// Refuses a file that other users can change or replace, without reading it: another library does.
    ///
    /// - Parameter file: The name of the file.
    /// - Throws: ``CommandFailure``.
    public static func refuseIfOthersCanChange(_ file: FileArgument) throws(CommandFailure) {
        // O_PATH, which Swift does not import: opening a pipe to read would take what is in it.
        let number = open(file.bytes.map { CChar(bitPattern: $0) } + [0], 0o10_000_000 | O_CLOEXEC)
        // What cannot be opened is reported by who reads it.
        guard number >= 0 else { return }
        defer { close(number) }
        try refuseIfOthersCanChange(number, file)
    }

    /// Refuses an open file that other users can change or replace.
    ///
    /// - Parameters:
    ///   - descriptor: The file.
    ///   - file: Its name.
    /// - Throws: ``CommandFailure``.
    package static func refuseIfOthersCanChange(
        _ descriptor: Int32,
        _ file: FileArgument
    ) throws(CommandFailure) {
        do throws(SystemError) {
            try TrustedFile.check(descriptor, path: file.bytes, name: file.quoted)
        } catch {
            throw CommandFailure(.refused, error.description)
        }
    }

    deinit {
        if isOwned && descriptor >= 0 { close(descriptor) }
    }

    /// Calls `body` with each chunk of the content. Shows progress on a terminal when this takes long, unless
    /// `showsProgress` is `false`.
    public func forEachChunk(
        byteCount: Int? = nil,
        writesMeanwhile: Bool = false,
        showsProgress: Bool = true,
        _ body: (Span<UInt8>) throws -> Void
    ) throws {
        var meter =
            showsProgress ? ProgressMeter(descriptor: descriptor, writesMeanwhile: writesMeanwhile) : nil
        defer { meter?.finish() }
        let reader = FileReader(
            descriptor: descriptor,
            chunkByteCount: byteCount ?? FileReader.defaultChunkByteCount
        )
        try reader.forEachChunk(orThrow: { $0 as any Error }) { chunk in
            try body(chunk)
            meter?.advance(by: chunk.count)
        }
    }
}
