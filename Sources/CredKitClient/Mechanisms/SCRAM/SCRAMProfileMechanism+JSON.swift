// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension SCRAMProfileMechanism {
    private enum CodingKeys: String, CodingKey {
        case keyPhrase, hashFunction, preparation, channelBinding, requiresChannelBinding, maximumIterations
        case loginPath, replacesLayeredVerifier, verifierPath
    }

    private static let hashFunctions: [String: SCRAM.HashFunction] = [
        "SHA-256": .sha256, "SHA-512": .sha512,
    ]
    private static let preparations: [String: SCRAM.Preparation] = [
        "rfc4013": .rfc4013, "postgreSQL": .postgreSQL,
    ]
    /// The names of channel bindings in profiles.
    private static let bindings: [String: SCRAM.ChannelBinding.Kind] = [
        "serverEndPoint": .serverEndPoint, "exporter": .exporter,
    ]

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value>(_ key: CodingKeys, of values: [String: Value]) throws -> Value? {
            guard let name = try members.decodeIfPresent(String.self, forKey: key) else { return nil }
            guard let value = values.first(where: { ASCIIText.areEqual($0.key, name) })?.value else {
                let names = values.keys.sorted().joined(separator: " or ")
                throw ClientError.invalidProfile(
                    "invalid login profile: \(key.rawValue) must be \(names)"
                )
            }
            return value
        }
        keyPhrase = try members.decodeIfPresent(String.self, forKey: .keyPhrase)
        hashFunction = try value(.hashFunction, of: Self.hashFunctions) ?? hashFunction
        preparation = try value(.preparation, of: Self.preparations) ?? preparation
        let kinds: [String: SCRAM.ChannelBinding.Kind?] =
            Self.bindings.mapValues { $0 }.merging(["none": nil]) { left, _ in left }
        let kind = try value(.channelBinding, of: kinds) ?? nil
        let isRequired = try members.decodeIfPresent(Bool.self, forKey: .requiresChannelBinding)
        if let kind {
            channelBinding = isRequired == true ? .required(kind) : .preferred(kind)
        } else if isRequired == true {
            throw ClientError.invalidProfile(
                "invalid login profile: requiresChannelBinding needs a channelBinding"
            )
        }
        maximumIterations =
            try members.decodeIfPresent(Int.self, forKey: .maximumIterations) ?? maximumIterations
        loginPath = try members.decodeIfPresent(String.self, forKey: .loginPath) ?? loginPath
        replacesLayeredVerifier =
            try members.decodeIfPresent(Bool.self, forKey: .replacesLayeredVerifier) ?? false
        verifierPath = try members.decodeIfPresent(String.self, forKey: .verifierPath) ?? verifierPath
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encodeIfPresent(keyPhrase, forKey: .keyPhrase)
        try members.encode(hashFunction.rawValue, forKey: .hashFunction)
        try members.encode(preparation.description, forKey: .preparation)
        let (kind, isRequired): (SCRAM.ChannelBinding.Kind?, Bool) =
            switch channelBinding {
            case .none: (nil, false)
            case .preferred(let kind): (kind, false)
            case .required(let kind): (kind, true)
            }
        let name = Self.bindings.first { $0.value == kind }?.key ?? "none"
        try members.encode(name, forKey: .channelBinding)
        try members.encode(isRequired, forKey: .requiresChannelBinding)
        try members.encode(maximumIterations, forKey: .maximumIterations)
        try members.encode(loginPath, forKey: .loginPath)
        try members.encode(replacesLayeredVerifier, forKey: .replacesLayeredVerifier)
        try members.encode(verifierPath, forKey: .verifierPath)
    }

    func check() throws(ClientError) {
        if let keyPhrase {
            guard !keyPhrase.isEmpty else { throw .invalidProfile("invalid login profile: empty keyPhrase") }
        }
        guard hashFunction != .sha1 else {
            throw .invalidProfile("invalid login profile: logins by SCRAM use SHA-256 or SHA-512")
        }
        guard SCRAM.Iterations.minimumCount...10_000_000 ~= maximumIterations else {
            throw .invalidProfile(
                "invalid login profile: maximumIterations must be from 4,096 to 10,000,000"
            )
        }
        guard !replacesLayeredVerifier || keyPhrase != nil else {
            throw .invalidProfile(
                "invalid login profile: replacesLayeredVerifier needs the keyPhrase of the old login"
            )
        }
        for (name, path) in [("loginPath", loginPath), ("verifierPath", verifierPath)] {
            guard path.utf8.starts(with: "/".utf8), !path.utf8.starts(with: "//".utf8) else {
                throw .invalidProfile("invalid login profile: \(name) must begin with exactly one slash")
            }
        }
    }
}
