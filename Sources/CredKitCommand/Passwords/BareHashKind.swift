// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// A type of bare hexadecimal hashes: `md5`, `salted-sha256`, `ntlm` …
enum BareHashKind: Hashable, ExpressibleByArgument, CaseIterable {
    typealias HashFunction = PasswordHash.LegacyHexAlgorithm.HashFunction

    case plain(HashFunction)
    case salted(HashFunction)
    case ntlm
    case hmacMD5
    case timestamp

    static let allCases: [Self] =
        HashFunction.allCases.map(Self.plain) + HashFunction.allCases.map(Self.salted) + [
            .ntlm, .hmacMD5, .timestamp,
        ]

    static var allValueStrings: [String] { allCases.map(\.name) }

    init?(argument: String) {
        guard let kind = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = kind
    }

    /// The name that `--as` and `--only` take.
    var name: String {
        switch self {
        case .plain(let function): function.rawValue
        case .salted(let function): "salted-\(function.rawValue)"
        case .ntlm: "ntlm"
        case .hmacMD5: "hmac-md5"
        case .timestamp: "timestamp"
        }
    }

    /// The number of digits.
    var digitCount: Int {
        switch self {
        case .plain(let function), .salted(let function):
            PasswordHash.LegacyHexAlgorithm.digest(function).digitCount
        case .ntlm: PasswordHash.LegacyHexAlgorithm.ntlm.digitCount
        case .hmacMD5, .timestamp: PasswordHash.LegacyHexAlgorithm.hmacMD5(keyID: "").digitCount
        }
    }

    /// The hash function whose rounds and salts can be declared.
    var function: HashFunction? {
        switch self {
        case .plain(let function), .salted(let function): function
        case .ntlm, .hmacMD5, .timestamp: nil
        }
    }

    /// Whether each hash has a salt.
    var isSalted: Bool { if case .salted = self { true } else { false } }

    /// The scheme of a hash of this type; `nil` if it is no stored hash.
    var scheme: PasswordHash.Scheme? {
        switch self {
        case .plain(let function), .salted(let function):
            PasswordHash.Scheme(name: "hex-\(function.rawValue)")
        case .ntlm: .hexNTLM
        case .hmacMD5: .hexHMACMD5
        case .timestamp: nil
        }
    }

    /// The message for a bare hash whose type is not declared: the types that have so many digits.
    static func ambiguity(digitCount: Int) -> String {
        let options = allCases.filter { $0.digitCount == digitCount && $0 != .timestamp }.map(\.name)
        let list = options.dropLast().joined(separator: ", ")
        return
            "\(digitCount) hexadecimal digits may be of several schemes; declare theirs with --as \(list) or "
            + (options.last ?? "")
    }
}
