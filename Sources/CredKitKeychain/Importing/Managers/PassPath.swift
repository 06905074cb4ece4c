// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

/// The paths of written entries of `pass`, one for each item, without `.gpg`.
struct PassPath {
    private static let nameByteCount = 200
    private var used: Set<[UInt8]> = []
    private var numbers: [[UInt8]: Int] = [:]

    /// Returns a path that no other item has.
    mutating func path(of credential: Credential) -> String {
        let (part, key) = EntryPart.of(credential)
        var names: [String]
        if let path = key.attributes["path"], !path.isEmpty {
            names = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
                Self.name(String(decoding: $0, as: UTF8.self))
            }
            if names.count > TransferLimits.depth / 2 { names = [Self.name(path)] }
        } else {
            names = [Self.name(key.service)] + (key.account.map { [Self.name($0)] } ?? [])
        }
        if case .field(let name, _) = part { names.append(Self.name(name)) }
        names[0] = part.servicePrefix + names[0]
        let path = names.joined(separator: "/")
        var unique = path
        while !used.insert(Array(unique.utf8)).inserted {
            let number = numbers[Array(path.utf8), default: 1] + 1
            numbers[Array(path.utf8)] = number
            unique = "\(path)~\(number)"
        }
        return unique
    }

    /// Returns a name of a file for a text: slashes, control characters and percent signs are escaped as in URLs, and so is
    /// what has a meaning at the beginning or the end of a name.
    static func name(_ text: String) -> String {
        let bytes = Array(text.utf8)
        let escape = PercentCoding(leaving: nil)
        var name: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            let isFirst = index == 0 && (byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-") || byte == 32)
            let isLast = byte == UInt8(ascii: ".") && bytes[index...].elementsEqual(".gpg".utf8)
            if byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "%")
                || isFirst || isLast
            {
                escape.append(CollectionOfOne(byte), to: &name)
            } else {
                name.append(byte)
            }
        }
        if name.isEmpty { return "%" }
        while name.count > nameByteCount || String(validating: name, as: UTF8.self) == nil {
            name.removeLast()
        }
        return String(decoding: name, as: UTF8.self)
    }
}
