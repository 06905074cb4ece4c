// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitSystem
import CredKitTerminal
import Glibc

/// A part of a table, which a run with `--shard` wrote.
struct ShardPart {
    /// How many bytes of all parts are read at once, about.
    private static let byteCount = 16 << 20

    /// The name for messages.
    let name: String
    let header: ShardHeader
    private let file: Descriptor
    private var reader: TableReader
    /// The records that were read.
    private var records = InputPrefix()

    init(_ argument: FileArgument, format: TableRecord.Format) throws {
        name = argument.quoted
        let start: [UInt8]
        do throws(SystemError) {
            file = try Descriptor(ordinaryFileAt: argument.bytes, argument.quoted)
            start = try file.readBytes(at: 0, count: ShardHeader.byteCount, argument.quoted)
        } catch {
            throw CommandFailure(.inputOutput, error.description)
        }
        var status = stat()
        guard fstat(file.number, &status) == 0 else {
            throw CommandFailure(.inputOutput, "\(argument.quoted): \(SystemError.message(of: errno))")
        }
        // Neither the digests nor the records show whose password a new hash is of.
        try TableOutput.checkOwner(status, argument)
        guard let header = ShardHeader(start) else {
            throw CommandFailure(
                .malformed,
                "\(argument.quoted): it is not the complete output of a run with --shard; nothing was written"
            )
        }
        self.header = header
        guard lseek(file.number, ShardHeader.byteCount, SEEK_SET) == ShardHeader.byteCount else {
            throw CommandFailure(.inputOutput, "\(argument.quoted): \(SystemError.message(of: errno))")
        }
        reader = TableReader(
            descriptor: file.number,
            format: format,
            name: argument.quoted,
            isReadBack: true,
            blockByteCount: min(
                TableBlocks.blockByteCount,
                max(16 * 1024, Self.byteCount / header.shard.count)
            )
        )
    }

    /// The shard for messages.
    var shown: String { "part \(header.shard.number) of \(header.shard.count)" }

    /// The number of the record that was read last, counted from 1.
    var recordNumber: Int { reader.recordNumber }

    /// Returns the next record, or `nil` at the end.
    mutating func next() throws -> TableRecord? {
        let record = try reader.next()
        if let record { records.append(record) }
        return record
    }

    /// Throws if there is a further record, or if the records are not those that were written.
    mutating func finish() throws {
        guard try next() == nil else { throw failure("it has more records than the table has for it") }
        guard records.text == header.records else {
            throw failure("its records are not those that were written: the file was changed since")
        }
    }

    /// Returns the failure of the part for a reason.
    func failure(_ reason: String) -> CommandFailure {
        CommandFailure(.malformed, "\(name): \(reason); nothing was written")
    }
}
