// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// A type of bare hexadecimal hashes: `md5`, `salted-sha256`, `ntlm`, `vbulletin` …
enum BareHashKind: Hashable, ExpressibleByArgument, CaseIterable {
    typealias HashFunction = PasswordHash.LegacyHexAlgorithm.HashFunction

    case plain(HashFunction)
    case salted(HashFunction)
    case ntlm
    case hmacMD5
    case timestamp
    case application(HashApplication)

    static let allCases: [Self] =
        HashFunction.allCases.map(Self.plain) + HashFunction.allCases.map(Self.salted) + [
            .ntlm, .hmacMD5, .timestamp,
        ] + HashApplication.allCases.map(Self.application)

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
        case .application(let application): application.rawValue
        }
    }

    /// The number of digits.
    var digitCount: Int {
        switch self {
        case .plain(let function), .salted(let function):
            PasswordHash.LegacyHexAlgorithm.digest(function).digitCount
        case .ntlm: PasswordHash.LegacyHexAlgorithm.ntlm.digitCount
        case .hmacMD5, .timestamp: PasswordHash.LegacyHexAlgorithm.hmacMD5(keyID: "").digitCount
        case .application(let application): application.algorithm(salt: []).digitCount
        }
    }

    /// The hash function whose rounds and salts can be declared.
    var function: HashFunction? {
        switch self {
        case .plain(let function), .salted(let function): function
        case .ntlm, .hmacMD5, .timestamp, .application: nil
        }
    }

    /// Whether each hash has a salt.
    var isSalted: Bool {
        switch self {
        case .salted, .application: true
        case .plain, .ntlm, .hmacMD5, .timestamp: false
        }
    }

    /// The application that has such hashes, if it is declared.
    var application: HashApplication? {
        if case .application(let application) = self { application } else { nil }
    }

    /// The scheme of a hash of this type; `nil` if it is no stored hash, or another type has the name of the scheme.
    var scheme: PasswordHash.Scheme? {
        switch self {
        case .plain(let function), .salted(let function):
            PasswordHash.Scheme(name: "hex-\(function.rawValue)")
        case .ntlm: .hexNTLM
        case .hmacMD5: .hexHMACMD5
        case .application(let application): application.scheme
        case .timestamp: nil
        }
    }

    /// The message for a bare hash whose type is not declared: the types that have so many digits.
    static func ambiguity(digitCount: Int) -> String {
        let kinds = allCases.filter { $0.digitCount == digitCount && $0 != .timestamp }
        let options = kinds.filter { $0.application == nil }.map(\.name)
        let applications = kinds.compactMap { $0.application?.rawValue }
        let list = options.dropLast().joined(separator: ", ")
        return
            "\(digitCount) hexadecimal digits may be of several schemes; declare theirs with --as \(list) or "
            + (options.last ?? "")
            + (applications.isEmpty
                ? "" : ", or with the name of the application: \(applications.joined(separator: ", "))")
    }
}
