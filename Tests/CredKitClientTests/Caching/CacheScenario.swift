// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import HTTPTypes

@testable import CredKitClient

/// A row of the table of caching: requests, responses and steps of the clock, with what is expected.
///
/// `source` in the file of the table describes the notation.
struct CacheScenario: Decodable, Sendable {
    let section: String
    let what: String
    let steps: [String]

    /// Runs the steps and returns what differs from the expectation; `nil` if nothing does.
    func problem() -> String? {
        var cache = ScenarioCache()
        for step in steps {
            do {
                try cache.run(step)
            } catch {
                return "section \(section), \(what): '\(step)': \(error.text)"
            }
        }
        return nil
    }
}

/// Why a scenario differs, or cannot be read.
struct ScenarioProblem: Error {
    let text: String

    init(_ text: String) { self.text = text }
}

/// A message of a scenario: its first words, and its header fields.
struct ScenarioMessage {
    let words: [String]
    /// The fields by name; `nil` for those that must be absent.
    var fields: [(name: HTTPField.Name, value: String?)] = []

    init(_ text: String, now: Int64) throws(ScenarioProblem) {
        let parts = Self.split(text, at: " | ")
        words = (parts.first ?? "").split(separator: " ").map(String.init)
        for part in parts.dropFirst() {
            guard let colon = part.utf8.firstIndex(of: UInt8(ascii: ":")),
                let name = HTTPField.Name(String(part[..<colon]))
            else { throw ScenarioProblem("not a field: \(part)") }
            let value = Self.expanded(part[colon...].dropFirst(), now: now)
            fields.append((name, value == "none" ? nil : value))
        }
    }

    var headers: HTTPFields {
        var headers = HTTPFields()
        for (name, value) in fields {
            if let value { headers.append(HTTPField(name: name, value: value)) }
        }
        return headers
    }

    /// Returns the number in a word such as `delay=5`.
    func number(_ name: String) -> Int64? {
        words.lazy.compactMap { $0.hasPrefix("\(name)=") ? Int64($0.dropFirst(name.count + 1)) : nil }.first
    }

    /// Returns the text in a word such as `range=0-4`.
    func text(_ name: String) -> String? {
        words.lazy.compactMap { $0.hasPrefix("\(name)=") ? String($0.dropFirst(name.count + 1)) : nil }.first
    }

    /// Splits a text at a separator of several characters.
    static func split(_ text: String, at separator: String) -> [String] {
        var parts: [String] = []
        var rest = Array(text.utf8)[...]
        let bytes = Array(separator.utf8)
        var part: [UInt8] = []
        while let first = rest.first {
            if rest.starts(with: bytes) {
                parts.append(String(decoding: part, as: UTF8.self))
                part = []
                rest = rest.dropFirst(bytes.count)
            } else {
                part.append(first)
                rest = rest.dropFirst()
            }
        }
        return parts + [String(decoding: part, as: UTF8.self)]
    }

    /// Replaces quotes, tabs and dates, and removes blanks at both ends.
    static func expanded(_ text: Substring, now: Int64) -> String {
        var expanded = ""
        var rest = text
        while let character = rest.popFirst() {
            switch character {
            case "'": expanded.append("\"")
            case "`": expanded.append("'")
            case "{":
                let name = rest.prefix { $0 != "}" }
                rest = rest.dropFirst(name.count + 1)
                expanded += name == "tab" ? "\t" : ScenarioDate.text(name, now: now)
            default: expanded.append(character)
            }
        }
        while expanded.last == " " { expanded.removeLast() }
        return String(expanded.drop { $0 == " " })
    }
}
