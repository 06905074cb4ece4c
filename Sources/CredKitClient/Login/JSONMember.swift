// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import FoundationEssentials

/// A member of a JSON text, found by a path such as `data.key`.
enum JSONMember: Sendable, Equatable {
    case missing
    case null
    case number(Double)
    case text(String)
    /// `false`.
    case no
    /// `true`, an object, an array, or a number that is too large.
    case other

    /// Finds the member at a path.
    ///
    /// - Parameters:
    ///   - path: Names separated by dots.
    ///   - json: The text.
    /// - Returns: The member; `nil` if the text is not JSON.
    static func find(_ path: String, in json: [UInt8]) -> JSONMember? {
        guard let key = CodingUserInfoKey(rawValue: "path") else { return nil }
        let decoder = JSONDecoder()
        decoder.userInfo[key] = path.split(separator: ".").map(String.init)
        return (try? decoder.decode(Probe.self, from: Data(json)))?.member
    }

    /// Describes the names at the top of an answer, for a message: `, only the members a, b`. Values may be secrets, and so may
    /// names that no program would have.
    static func namesText(in json: [UInt8]) -> String {
        guard let names = (try? JSONDecoder().decode(Names.self, from: Data(json)))?.names else {
            return ": it is no JSON object"
        }
        let plain = names.sorted().filter { name in
            (1...24).contains(name.utf8.count)
                && name.utf8.allSatisfy {
                    switch $0 {
                    case 48...57, 65...90, 97...122, UInt8(ascii: "_"), UInt8(ascii: "-"): true
                    default: false
                    }
                }
        }
        if plain.isEmpty { return ", and no other member with a usual name" }
        let rest = names.count > 5 || plain.count < names.count ? " and others" : ""
        return ", only the members \(plain.prefix(5).joined(separator: ", "))\(rest)"
    }

    /// The value as a number; a text is parsed as decimal digits.
    var number: Double? {
        switch self {
        case .number(let number): number
        case .text(let text): Int64(text).map { Double($0) }
        default: nil
        }
    }

    private struct Probe: Decodable {
        let member: JSONMember

        init(from decoder: any Decoder) throws {
            let path = CodingUserInfoKey(rawValue: "path").flatMap { decoder.userInfo[$0] as? [String] } ?? []
            member = Self.member(decoder, path: path[...])
        }

        private static func member(_ decoder: any Decoder, path: ArraySlice<String>) -> JSONMember {
            guard let name = path.first else { return value(decoder) }
            guard let object = try? decoder.container(keyedBy: Name.self), let name = Name(stringValue: name),
                object.contains(name), let inner = try? object.superDecoder(forKey: name)
            else { return .missing }
            return member(inner, path: path.dropFirst())
        }

        private static func value(_ decoder: any Decoder) -> JSONMember {
            guard let value = try? decoder.singleValueContainer() else { return .other }
            if value.decodeNil() { return .null }
            if let text = try? value.decode(String.self) { return .text(text) }
            if let truth = try? value.decode(Bool.self) { return truth ? .other : .no }
            if let number = try? value.decode(Double.self) { return .number(number) }
            return .other
        }
    }

    private struct Names: Decodable {
        let names: [String]

        init(from decoder: any Decoder) throws {
            names = try decoder.container(keyedBy: Name.self).allKeys.map(\.stringValue)
        }
    }

    private struct Name: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }
}
