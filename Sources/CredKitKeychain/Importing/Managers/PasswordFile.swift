// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// Reads and writes the unencrypted files by which password managers exchange entries.
///
/// ```swift
/// let imported = try PasswordFile.read(SecretBytes(bytes))
/// for loss in imported.losses { print(loss.entry, loss.field, loss.detail) }
/// try await keychain.add(imported.credentials)
/// ```
///
/// An entry becomes an item with its password, whose service is the host of its address, or else its title, and further
/// items for what may be confidential as well: its one-time codes (service `otp:SERVICE`), its notes (`note:SERVICE`), and
/// each field (`field:SERVICE`, with the attribute `field`). The attributes `url` and `folder` have the address, without user
/// information, query and fragment, and the folder; a longer address is the field `url`. Entries that would have equal keys
/// get the attribute `entry` with a number.
///
/// The secrets of a document are read into guarded memory without passing through the heap. Names do pass through it.
public enum PasswordFile {
    /// A format.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// The XML of KeePass 2 and KeePassXC, which has a place for all but attachments.
        case keePassXML = "keepass-xml"
        /// The CSV table of KeePassXC: folders and one-time codes, but no further fields.
        case keePassXCCSV = "keepassxc-csv"
        /// The unencrypted JSON of Bitwarden.
        case bitwardenJSON = "bitwarden-json"
        /// The CSV table of Chromium and Google Chrome: only titles, addresses, user names, passwords and notes.
        case chromiumCSV = "chromium-csv"
        /// The CSV table of Firefox: only addresses, user names, passwords and times.
        case firefoxCSV = "firefox-csv"
    }

    /// Returns the format of a document.
    ///
    /// - Parameter document: The document.
    /// - Returns: The format; `nil` for any other, such as a table of another product.
    public static func format(of document: SecretBytes) -> ImportFormat? {
        document.withSecretBytes { bytes in
            let bytes = bytes.extracting(markCount(bytes)..<bytes.count)
            if let (layout, _) = PasswordCSV.layout(of: bytes) { return layout.format }
            if bytes.count > 0, bytes[0] == UInt8(ascii: "<") {
                return isKeePass(bytes.extracting(..<min(bytes.count, 4096))) ? .keePassXML : nil
            }
            if OnePasswordJSON.isDocument(bytes) { return .onePasswordJSON }
            return BitwardenJSON.isDocument(bytes) ? .bitwardenJSON : nil
        }
    }

    /// Reads a document.
    ///
    /// - Parameter document: The document, at most 256 MiB of UTF-8, with at most 100,000 entries.
    /// - Returns: The items, and what was left out.
    /// - Throws: ``KeychainError``; ``KeychainError/damaged`` if the document is malformed, ``KeychainError/unsupported`` for
    ///   another or an encrypted format, ``KeychainError/overLimit``. No error contains a secret.
    public static func read(_ document: SecretBytes) throws(KeychainError) -> PasswordImport {
        var collector = ImportCollector()
        for entry in try entries(of: document, &collector) { try collector.add(entry) }
        return collector.result
    }

    /// Writes a document. It is read back, and compared with the items.
    ///
    /// - Parameters:
    ///   - credentials: The items with their secrets.
    ///   - format: The format.
    /// - Returns: The document, each property that ``read(_:)`` would not return the same from it, and the number of items
    ///   whose secret it has.
    /// - Throws: ``KeychainError``; ``KeychainError/overLimit`` if there are more items than a document may have.
    public static func write(
        _ credentials: [Credential],
        as format: Format
    ) throws(KeychainError) -> (document: SecretBytes, losses: [TransferLoss], itemCount: Int) {
        guard credentials.count <= TransferLimits.entryCount else {
            throw .overLimit("more than \(TransferLimits.entryCount) items cannot be written into one file")
        }
        let hasFields = format == .keePassXML || format == .bitwardenJSON
        let isOfBrowser = format == .chromiumCSV || format == .firefoxCSV
        var losses: [TransferLoss] = []
        var written: [(draft: EntryDraft, entry: PasswordEntry)] = []
        for draft in EntryDraft.grouping(credentials) {
            var entry = try draft.entry(hasFields: hasFields) { EntryText.isXML($0) }
            let isEmpty =
                entry.password == nil && entry.notes == nil && entry.oneTimeCode == nil
                && entry.fields.isEmpty
            if isOfBrowser, entry.address == nil, let host = hostAddress(draft.key.service) {
                entry.address = try convertingMemory(SecretBytes(host))
            }
            if isEmpty {
                let detail = "left out: its secrets are not text, or the format has no place for them"
                losses.append(TransferLoss(entry: entry.name, field: "", detail: detail))
            } else if isOfBrowser && (entry.address == nil || entry.password == nil) {
                let detail = "left out: it has no address and password, which browsers require"
                losses.append(TransferLoss(entry: entry.name, field: "", detail: detail))
            } else {
                written.append((draft, entry))
            }
        }
        let document: SecretBytes
        switch format {
        case .keePassXML:
            let order = KeePassXML.order(of: written.map(\.entry))
            written = order.map { written[$0] }
            let entries = written.map(\.entry)
            document = try EntryText.document { KeePassXML.write(entries, $0) }
        case .bitwardenJSON:
            let entries = written.map(\.entry)
            document = try EntryText.document { BitwardenJSON.write(entries, $0) }
        case .keePassXCCSV, .chromiumCSV, .firefoxCSV:
            guard let table = PasswordCSV.tables.first(where: { $0.format.rawValue == format.rawValue })
            else {
                throw .unsupported("the format has no table")
            }
            let entries = written.map(\.entry)
            document = try EntryText.document { PasswordCSV.write(entries, as: table, $0) }
        }
        var unused = ImportCollector()
        let copies = try entries(of: document, &unused)
        guard copies.count == written.count else { throw .failed("the written file reads back differently") }
        var itemCount = 0
        for (index, copy) in copies.enumerated() {
            let (draft, entry) = written[index]
            let items = try copy.items()
            itemCount += draft.keptCount(in: items)
            losses += draft.losses(comparedWith: items, entry.name)
        }
        return (document, losses, itemCount)
    }

    static func entries(
        of document: SecretBytes,
        _ collector: inout ImportCollector
    ) throws(KeychainError) -> [PasswordEntry] {
        guard document.count <= TransferLimits.fileByteCount else {
            throw .overLimit("the file is larger than \(TransferLimits.fileByteCount >> 20) MiB")
        }
        guard document.isUTF8 else { throw .damaged("the file is not UTF-8") }
        let format = format(of: document)
        return try document.withSecretBytes { (bytes) throws(KeychainError) in
            let bytes = bytes.extracting(markCount(bytes)..<bytes.count)
            switch format {
            case .keePassXML: return try KeePassXML.Reader.entries(of: bytes, &collector)
            case .bitwardenJSON: return try BitwardenJSON.Reader.entries(of: bytes)
            case .onePasswordJSON: return try OnePasswordJSON.Reader.entries(of: bytes, &collector)
            case .keePassXCCSV, .bitwardenCSV, .chromiumCSV, .firefoxCSV, .lastPassCSV, .appleCSV,
                .onePasswordCSV, .dashlaneCSV, .protonPassCSV:
                guard let (layout, scanner) = PasswordCSV.layout(of: bytes) else { fallthrough }
                return try PasswordCSV.entries(layout, scanner, in: bytes)
            case nil: throw .unsupported("unrecognized format: not a file of \(programs)")
            }
        }
    }

    /// The programs whose files are read, for messages.
    package static let programs =
        "KeePass, KeePassXC, Bitwarden, 1Password, LastPass, Apple Passwords, Dashlane, Proton Pass, Chromium or Firefox"

    /// Returns whether the beginning of a document has the first element of KeePass. Nothing of it is copied.
    private static func isKeePass(_ bytes: Span<UInt8>) -> Bool {
        let name = Array("<KeePassFile".utf8)
        guard bytes.count >= name.count else { return false }
        return (0...bytes.count - name.count).contains { start in
            name.indices.allSatisfy { bytes[start + $0] == name[$0] }
        }
    }

    /// Returns the size of a byte order mark.
    private static func markCount(_ bytes: Span<UInt8>) -> Int {
        bytes.count >= 3 && bytes[0] == 0xEF && bytes[1] == 0xBB && bytes[2] == 0xBF ? 3 : 0
    }

    /// Returns the address of a service that looks like a host.
    private static func hostAddress(_ service: String) -> String? {
        let isHost =
            service.utf8.contains(UInt8(ascii: "."))
            && service.utf8.allSatisfy { byte in
                0x30...0x3A ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte || byte == 0x2D
                    || byte == 0x2E
            }
        return isHost ? "https://\(service)/" : nil
    }
}
