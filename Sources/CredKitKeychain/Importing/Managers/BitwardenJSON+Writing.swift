// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

extension BitwardenJSON {
    static func write(_ entries: [PasswordEntry], _ emit: (UInt8) -> Void) {
        func plain(_ text: String) { for byte in text.utf8 { emit(byte) } }
        func quoted(_ text: String) { for byte in JSONText.quoted(text) { emit(byte) } }
        func quoted(_ secret: SecretBytes?) {
            guard let secret else { return plain("null") }
            plain("\"")
            secret.withSecretBytes { JSONText.escape($0, emit) }
            plain("\"")
        }
        func folderID(_ number: Int) -> String {
            let digits = String(number)
            return
                "\"00000000-0000-4000-8000-\(String(repeating: "0", count: max(0, 12 - digits.utf8.count)))\(digits)\""
        }
        var numbers: [[UInt8]: Int] = [:]
        plain("{\"encrypted\":false,\"folders\":[")
        for entry in entries {
            guard let folder = entry.folder, numbers[Array(folder.utf8)] == nil else { continue }
            if !numbers.isEmpty { plain(",") }
            numbers[Array(folder.utf8)] = numbers.count + 1
            plain("{\"id\":\(folderID(numbers.count)),\"name\":")
            quoted(folder)
            plain("}")
        }
        plain("],\"items\":[")
        for (index, entry) in entries.enumerated() {
            plain(index == 0 ? "\n{" : ",\n{")
            let isNote =
                entry.password == nil && entry.oneTimeCode == nil && entry.account == nil
                && entry.address == nil
            plain("\"type\":\(isNote ? noteType : 1),\"reprompt\":0,\"favorite\":false,\"name\":")
            quoted(entry.title)
            plain(",\"notes\":")
            quoted(entry.notes)
            plain(",\"folderId\":")
            plain(entry.folder.flatMap { numbers[Array($0.utf8)] }.map(folderID) ?? "null")
            for (name, date) in [("creationDate", entry.created), ("revisionDate", entry.modified)] {
                if let text = date.flatMap({ Timestamp.text($0) }) { plain(",\"\(name)\":\"\(text)\"") }
            }
            plain(",\"fields\":[")
            var fields = entry.fields.map { ($0.name, $0.value, type: 1) }
            if let marker = entry.marker { fields.append((EntryMarker.name, marker, type: 0)) }
            for (index, field) in fields.enumerated() {
                plain(index == 0 ? "{\"name\":" : ",{\"name\":")
                quoted(field.0)
                plain(",\"value\":")
                quoted(field.1)
                plain(",\"type\":\(field.type)}")
            }
            plain("],")
            if isNote {
                plain("\"secureNote\":{\"type\":0}}")
                continue
            }
            plain("\"login\":{\"uris\":[")
            if let address = entry.address {
                plain("{\"match\":null,\"uri\":")
                quoted(address)
                plain("}")
            }
            plain("],\"username\":")
            if let account = entry.account { quoted(account) } else { plain("null") }
            plain(",\"password\":")
            quoted(entry.password)
            plain(",\"totp\":")
            quoted(entry.oneTimeCode)
            plain("}}")
        }
        plain("\n]}\n")
    }
}
