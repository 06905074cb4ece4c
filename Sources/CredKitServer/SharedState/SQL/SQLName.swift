// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The name of a table: `users`, `app.users`, or with quotes as in SQL, `"my.app"."users"`.
///
/// Other than in SQL, the letters of names without quotes keep their case.
public struct SQLName: Equatable, Sendable {
    /// The schema; `nil` if the search path is to find the table.
    public let schema: String?
    /// The name of the table.
    public let table: String

    /// Creates a name of parts without quotes.
    ///
    /// - Parameters:
    ///   - schema: The schema; `nil` if the search path is to find the table.
    ///   - table: The table.
    public init(schema: String?, table: String) {
        self.schema = schema
        self.table = table
    }

    /// Reads a name; `nil` if it is malformed.
    ///
    /// - Parameter text: The name as a person writes it.
    public init?(_ text: String) {
        var parts: [String] = []
        var rest = Substring(text)
        while true {
            guard let part = Self.part(&rest), !part.isEmpty else { return nil }
            parts.append(part)
            guard let separator = rest.popFirst() else { break }
            guard separator == "." else { return nil }
        }
        guard let table = parts.last, parts.count <= 2 else { return nil }
        self.init(schema: parts.count == 2 ? parts[0] : nil, table: table)
    }

    /// Removes a part of a name from the beginning of a text, and returns it without quotes.
    private static func part(_ rest: inout Substring) -> String? {
        guard rest.first == "\"" else {
            let part = rest.prefix { $0 != "." }
            rest = rest.dropFirst(part.count)
            return part.contains("\"") ? nil : String(part)
        }
        rest.removeFirst()
        var part = ""
        while let character = rest.popFirst() {
            guard character == "\"" else {
                part.append(character)
                continue
            }
            guard rest.first == "\"" else { return part }
            part.append(rest.removeFirst())
        }
        return nil
    }

    /// The name for a statement.
    public var quoted: String { (schema.map { Self.quote($0) + "." } ?? "") + Self.quote(table) }

    /// Returns an identifier for a statement.
    ///
    /// - Parameter identifier: The name of a schema, table or column, of any characters.
    /// - Returns: The name between quotes.
    public static func quote(_ identifier: String) -> String {
        var quoted: [UInt8] = [UInt8(ascii: "\"")]
        for byte in identifier.utf8 {
            if byte == UInt8(ascii: "\"") { quoted.append(byte) }
            quoted.append(byte)
        }
        return String(decoding: quoted + [UInt8(ascii: "\"")], as: UTF8.self)
    }
}
