// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

extension KeePassXML {
    /// The maximum depth of written folders: a deeper one is written as one folder with a long name, which reads back the
    /// same.
    private static let folderDepth = 24

    /// Returns the order in which entries are written, so that each folder is opened once.
    static func order(of entries: [PasswordEntry]) -> [Int] {
        let folders = entries.map { folder($0) }
        return folders.indices.sorted { left, right in
            folders[left].lexicographicallyPrecedes(folders[right]) {
                $0.utf8.lexicographicallyPrecedes($1.utf8)
            }
        }
    }

    private static func folder(_ entry: PasswordEntry) -> [String] {
        guard let folder = entry.folder else { return [] }
        let names = folder.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        return names.count <= folderDepth ? names : [folder]
    }

    /// Writes entries, which are in the order of ``order(of:)``.
    static func write(_ entries: [PasswordEntry], _ emit: (UInt8) -> Void) {
        func plain(_ text: String) { for byte in text.utf8 { emit(byte) } }
        func escaped(_ byte: UInt8) {
            switch byte {
            case UInt8(ascii: "<"): plain("&lt;")
            case UInt8(ascii: ">"): plain("&gt;")
            case UInt8(ascii: "&"): plain("&amp;")
            case 13: plain("&#13;")
            default: emit(byte)
            }
        }
        func field(_ name: String, _ value: SecretBytes?, isProtected: Bool) {
            plain("<String><Key>")
            for byte in name.utf8 { escaped(byte) }
            plain("</Key><Value\(isProtected ? " ProtectInMemory=\"True\"" : "")>")
            value?.forEachByte(escaped)
            plain("</Value></String>\n")
        }
        func text(_ name: String, _ value: String) {
            plain("<String><Key>\(name)</Key><Value>")
            for byte in value.utf8 { escaped(byte) }
            plain("</Value></String>\n")
        }
        plain("<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<KeePassFile><Meta>")
        plain("<Generator>CredKit</Generator></Meta><Root><Group><Name>Passwords</Name>\n")
        var open: [String] = []
        for entry in entries {
            let folder = folder(entry)
            let common = zip(open, folder).prefix { $0.utf8.elementsEqual($1.utf8) }.count
            for _ in common..<open.count { plain("</Group>\n") }
            for name in folder[common...] {
                plain("<Group><Name>")
                for byte in name.utf8 { escaped(byte) }
                plain("</Name>\n")
            }
            open = folder
            plain("<Entry><Times>")
            for (name, date) in [("CreationTime", entry.created), ("LastModificationTime", entry.modified)] {
                if let text = date.flatMap({ Timestamp.secondsText($0) }) {
                    plain("<\(name)>\(text)</\(name)>")
                }
            }
            plain("</Times>\n")
            text("Title", entry.title)
            text("UserName", entry.account ?? "")
            field("Password", entry.password, isProtected: true)
            field("URL", entry.address, isProtected: false)
            field("Notes", entry.notes, isProtected: false)
            if let code = entry.oneTimeCode { field("otp", code, isProtected: true) }
            for other in entry.fields { field(other.name, other.value, isProtected: true) }
            if let marker = entry.marker { field(EntryMarker.name, marker, isProtected: false) }
            plain("</Entry>\n")
        }
        for _ in open { plain("</Group>\n") }
        plain("</Group></Root></KeePassFile>\n")
    }
}
