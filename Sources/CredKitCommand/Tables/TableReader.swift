// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Reads a table record by record, in bounded memory.
struct TableReader {
    private let format: TableRecord.Format
    private var blocks: TableBlocks
    private var block: TableBlock?
    private var index = 0

    /// The number of the record that was read last, counted from 1. In tables without line breaks inside fields it is
    /// the line number.
    private(set) var recordNumber = 0

    /// The total number of bytes of all records that were read.
    private(set) var byteCount = 0

    /// Creates a reader that starts at the current position of a descriptor. The maximum size of a record is larger
    /// when reading back the output, whose hashes are longer. A file that is no table is refused if it is recognized.
    init(
        descriptor: Int32,
        format: TableRecord.Format,
        name: String,
        isReadBack: Bool = false,
        blockByteCount: Int = TableBlocks.blockByteCount,
        recognizesOtherFiles: Bool = true
    ) {
        self.format = format
        blocks = TableBlocks(
            descriptor: descriptor,
            format: format,
            name: name,
            maximumByteCount: isReadBack ? 96 * 1024 : 64 * 1024,
            blockByteCount: blockByteCount,
            recognizesOtherFiles: recognizesOtherFiles && !isReadBack
        )
    }

    /// Returns the next record, or `nil` at the end.
    mutating func next() throws -> TableRecord? {
        if index == block?.ends.count ?? 0 {
            block = try blocks.next()
            index = 0
        }
        guard let block else { return nil }
        let range = block.range(index)
        index += 1
        recordNumber += 1
        byteCount += range.count
        return TableRecord(Array(block.bytes[range]), format: format)
    }
}
