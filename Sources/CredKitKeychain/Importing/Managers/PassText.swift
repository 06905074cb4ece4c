// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import FoundationEssentials

/// The text of a file of `pass`: the first line is the password, and by convention lines like `login: alice` and
/// `url: https://…` follow, and the URI of one-time codes, which is the first line if `pass otp insert` wrote it. Other lines
/// are notes. A carriage return before the end of a line belongs to it.
///
/// The last line of a file that CredKit wrote is its marker: `credkit: {…}`. If the password itself has several lines, the
/// marker tells how many bytes it has: `credkit 1234: {…}`.
enum PassText {
    private static let accountNames: Set = ["login", "username", "user"]
    private static let addressNames: Set = ["url", "website", "uri"]
    private static let names = accountNames.union(addressNames).union(["password", "totp"])
    private static let magic = "GOPASS-SECRET-1.0"

    /// Returns the entry of a file.
    static func entry(_ text: SecretBytes, path: String) throws(KeychainError) -> PasswordEntry {
        var entry = PasswordEntry()
        entry.hasFolder = false
        try text.withSecretBytes { (bytes) throws(KeychainError) in try read(bytes, into: &entry) }
        entry.title = path
        // A changed entry is as one that another program has written.
        if entry.markedItem(entry.visibleItem()) == nil {
            // A URI beside another key remains the password.
            if let password = entry.password, entry.oneTimeCode == nil,
                password.withSecretBytes({ $0.isOneTimeCode })
            {
                (entry.oneTimeCode, entry.password) = (password, nil)
            }
            entry.attributes["path"] = path
            place(&entry, path)
        } else {
            // The path is the place of the file, not the label.
            entry.title = ""
        }
        entry.useOneTimeCode()
        return entry
    }

    private static func read(_ bytes: Span<UInt8>, into entry: inout PasswordEntry) throws(KeychainError) {
        var lines = lines(of: bytes)
        var passwordEnd: Int?
        var isExact = false
        if lines.count > 1, let last = lines.last, let (count, marker) = marker(last, in: bytes) {
            let secret = try convertingMemory(SecretBytes(bytes.extracting(marker)))
            if EntryMarker.item(secret) != nil {
                if let count {
                    guard count < last.lowerBound, bytes[count] == 10 else {
                        throw .damaged("its password has another length than the line 'credkit' says")
                    }
                    passwordEnd = count
                }
                entry.marker = secret
                isExact = bytes[last.upperBound - 1] != 13
                lines.removeLast()
            }
        }
        if !isExact, dropReturns(at: &lines, in: bytes) {
            entry.leaveOut("line ends", "kept without carriage returns", isKept: true)
        }
        let end = passwordEnd ?? lines.first?.upperBound ?? 0
        entry.password = try convertingMemory(SecretBytes(bytes.extracting(..<end)))
        var rest = lines.drop { $0.lowerBound <= end }
        let isMIME = entry.marker == nil && isText(magic, 0..<end, in: bytes)
        if isMIME { entry.password = try convertingMemory(SecretBytes([UInt8]())) }
        if entry.marker == nil, bytes.extracting(..<end).isOneTimeCode {
            (entry.oneTimeCode, entry.password) = (entry.password, nil)
        }
        var notes: [Range<Int>] = []
        while let line = rest.popFirst() {
            if isMIME, line.isEmpty {
                notes += rest
                break
            }
            guard try !take(line, isMIME: isMIME, in: bytes, into: &entry) else { continue }
            notes.append(line)
        }
        guard !notes.isEmpty else { return }
        let count = notes.reduce(notes.count - 1) { $0 + $1.count }
        entry.notes = try convertingMemory(
            SecretBytes(capacity: count) { output in
                for (index, line) in notes.enumerated() {
                    if index > 0 { output.append(10) }
                    output.append(contentsOf: bytes.extracting(line))
                }
            }
        )
    }

    /// Takes a line that is no note, and returns whether it is none.
    private static func take(
        _ line: Range<Int>,
        isMIME: Bool,
        in bytes: Span<UInt8>,
        into entry: inout PasswordEntry
    ) throws(KeychainError) -> Bool {
        if bytes.extracting(line).isOneTimeCode {
            guard entry.oneTimeCode == nil else {
                let detail = "kept in the notes: an entry has one key of one-time codes"
                entry.leaveOut("further one-time code", detail, isKept: true)
                return false
            }
            entry.oneTimeCode = try convertingMemory(SecretBytes(bytes.extracting(line)))
            return true
        }
        guard let colon = line.first(where: { bytes[$0] == UInt8(ascii: ":") }),
            let name = names.first(where: {
                isText($0, line.lowerBound..<colon, ignoringCase: true, in: bytes)
            })
        else { return false }
        var start = colon + 1
        if start < line.upperBound, bytes[start] == 32 { start += 1 }
        let value = try convertingMemory(SecretBytes(bytes.extracting(start..<line.upperBound)))
        if isMIME, name == "password" {
            entry.password = value
            return true
        }
        // As gopass and the apps for Android have it, a URI or a seed.
        if name == "totp", entry.oneTimeCode == nil, (try? OneTimeCodeParts.uri(of: value)) != nil {
            entry.oneTimeCode = value
            return true
        }
        guard value.isUTF8, !value.isEmpty || entry.marker != nil else { return false }
        if entry.account == nil, accountNames.contains(name) {
            entry.account = value.withSecretBytes { bytes in
                String(decoding: bytes.indices.map { bytes[$0] }, as: UTF8.self)
            }
            return true
        }
        if entry.address == nil, addressNames.contains(name) {
            entry.address = value
            return true
        }
        return false
    }

    /// Derives service and account from the path, as far as the text does not have them.
    private static func place(_ entry: inout PasswordEntry, _ path: String) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/")).map { String(decoding: $0, as: UTF8.self) }
        guard let last = parts.last else { return }
        let parent = parts.count > 1 ? parts[parts.count - 2] : nil
        if let account = entry.account {
            let isUser = account.utf8.elementsEqual(last.utf8) || !isHost(last)
            entry.service = parent.flatMap { isHost($0) && isUser ? $0 : nil } ?? last
        } else if let parent, isHost(parent) || !isHost(last) {
            (entry.service, entry.account) = (parent, last)
        } else {
            entry.service = last
        }
    }

    private static func isHost(_ name: String) -> Bool {
        name.utf8.dropFirst().dropLast().contains(UInt8(ascii: ".")) && !name.utf8.contains(UInt8(ascii: "@"))
            && !name.utf8.contains(32)
    }

    private static func lines(of bytes: Span<UInt8>) -> [Range<Int>] {
        var lines: [Range<Int>] = []
        var start = 0
        for index in bytes.indices where bytes[index] == 10 {
            lines.append(start..<index)
            start = index + 1
        }
        if start < bytes.count { lines.append(start..<bytes.count) }
        return lines
    }

    /// Removes carriage returns at the ends of lines, and returns whether there are any.
    private static func dropReturns(at lines: inout [Range<Int>], in bytes: Span<UInt8>) -> Bool {
        var hasReturns = false
        for (index, line) in lines.enumerated() where !line.isEmpty && bytes[line.upperBound - 1] == 13 {
            lines[index] = line.lowerBound..<line.upperBound - 1
            hasReturns = true
        }
        return hasReturns
    }

    /// Returns the count of the marker, if there is one, and the range of its item.
    private static func marker(_ line: Range<Int>, in bytes: Span<UInt8>) -> (Int?, Range<Int>)? {
        guard let colon = line.first(where: { bytes[$0] == UInt8(ascii: ":") }),
            colon - line.lowerBound <= 20,
            colon + 2 <= line.upperBound
        else { return nil }
        if isText(EntryMarker.name, line.lowerBound..<colon, in: bytes) {
            return (nil, colon + 2..<line.upperBound)
        }
        let start = EntryMarker.name + " "
        let digits = line.lowerBound + start.utf8.count..<max(colon, line.lowerBound + start.utf8.count)
        guard digits.upperBound == colon, !digits.isEmpty,
            isText(start, line.lowerBound..<digits.lowerBound, in: bytes),
            digits.allSatisfy({ 0x30...0x39 ~= bytes[$0] }),
            let count = Int(String(decoding: digits.map { bytes[$0] }, as: UTF8.self))
        else { return nil }
        return (count, colon + 2..<line.upperBound)
    }

    /// Returns whether a range is a text. Nothing is copied: it may be a password.
    private static func isText(
        _ text: String,
        _ range: Range<Int>,
        ignoringCase: Bool = false,
        in bytes: Span<UInt8>
    ) -> Bool {
        range.count == text.utf8.count
            && zip(range, text.utf8).allSatisfy { index, letter in
                bytes[index] == letter
                    || ignoringCase && 0x41...0x5A ~= bytes[index] && bytes[index] | 0x20 == letter
            }
    }

    /// Returns the text of a file for an item.
    static func text(_ credential: Credential) throws(KeychainError) -> SecretBytes {
        let item = credential.item
        var lines: [UInt8] = [10]
        if let account = item.account { lines += Array("login: \(EntryText.visible(account))\n".utf8) }
        let address = PasswordEntry.address(of: item.key)
        if !address.isEmpty { lines += Array("url: \(address)\n".utf8) }
        let hasLines = credential.secret.withSecretBytes { bytes in bytes.indices.contains { bytes[$0] == 10 }
        }
        lines += Array("\(EntryMarker.name)\(hasLines ? " \(credential.secret.count)" : ""): ".utf8)
        lines += EntryMarker.text(item) + [10]
        return try convertingMemory(
            SecretBytes(capacity: credential.secret.count + lines.count) { output in
                credential.secret.withSecretBytes { output.append(contentsOf: $0) }
                output.append(contentsOf: lines.span)
            }
        )
    }
}

extension Span<UInt8> {
    fileprivate var isOneTimeCode: Bool {
        let scheme = Array("otpauth://".utf8)
        return count > scheme.count && scheme.indices.allSatisfy { self[$0] == scheme[$0] }
    }
}
