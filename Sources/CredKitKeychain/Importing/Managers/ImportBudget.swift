// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What the entries of a file of another program may consist of together. A small file can have many small parts, each of
/// which takes a multiple of its size in memory.
struct ImportBudget {
    private var entryCount = 0
    private var partCount = 0
    private var folderByteCount = 0

    /// Takes an entry that was read.
    ///
    /// - Parameter entry: The entry.
    /// - Throws: ``KeychainError/overLimit`` if the entries are too many, or consist of too much.
    mutating func take(_ entry: PasswordEntry) throws(KeychainError) {
        entryCount += 1
        guard entryCount <= TransferLimits.entryCount else {
            throw .overLimit("the file has more than \(TransferLimits.entryCount) entries")
        }
        partCount += 1 + entry.fields.count
        guard partCount <= TransferLimits.partCount else {
            throw .overLimit("the entries of the file have more than \(TransferLimits.partCount) fields")
        }
        if let folder = entry.folder { try take(folder: folder) }
    }

    /// Takes the folder of an entry, whose name becomes a part of each of its items.
    mutating func take(folder: String) throws(KeychainError) {
        folderByteCount += folder.utf8.count
        guard folderByteCount <= TransferLimits.folderByteCount else {
            throw .overLimit(
                "the folders of all entries have names of more than \(TransferLimits.folderByteCount >> 20) MiB"
            )
        }
    }
}
