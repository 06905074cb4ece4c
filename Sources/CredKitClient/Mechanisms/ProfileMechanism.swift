// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// A mechanism that a profile in JSON can name, with settings of its own.
protocol ProfileMechanism: LoginMechanism, Codable {
    /// The member `scheme` of such a profile.
    static var scheme: String { get }

    /// The names of its other members.
    static var members: Set<String> { get }

    /// The path to post a logout to where a profile in JSON names none. Default: none.
    static var defaultLogoutPath: String? { get }

    /// Whether such a profile can name the header of the token. Default: no.
    static var hasTokenHeader: Bool { get }

    /// Checks the settings.
    func check() throws(ClientError)
}

extension ProfileMechanism {
    static var defaultLogoutPath: String? { nil }
    static var hasTokenHeader: Bool { false }
}

/// The mechanisms with settings of their own, by which profiles in JSON name them.
enum ProfileMechanisms {
    static let all: [any ProfileMechanism.Type] = [
        BasicMechanism.self, BearerMechanism.self, OAuthMechanism.self, SCRAMProfileMechanism.self,
    ]

    /// The names of the members that only some of them have.
    static var members: Set<String> { all.reduce(into: []) { $0.formUnion($1.members) } }

    static func named(_ scheme: String) -> (any ProfileMechanism.Type)? {
        all.first { ASCIIText.areEqual($0.scheme, scheme) }
    }
}

/// The JSON representation of a profile whose mechanism has settings of its own.
struct MechanismDocument: Codable {
    private enum CodingKeys: String, CodingKey, CaseIterable {
        case scheme, server, logoutPath, tokenHeader, expired
    }

    private struct Scheme: Decodable { var scheme: String? }

    private let profile: LoginProfile

    init(_ profile: LoginProfile) { self.profile = profile }

    /// Returns the profile of a document; `nil` if its scheme is one of ``LoginProfileDocument``.
    static func profile(decoding decode: (any Decodable.Type) throws -> Any) throws -> LoginProfile? {
        guard let scheme = (try decode(Scheme.self) as? Scheme)?.scheme,
            ProfileMechanisms.named(scheme) != nil
        else { return nil }
        return (try decode(Self.self) as? Self)?.profile
    }

    init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        let scheme = try members.decode(String.self, forKey: .scheme)
        guard let type = ProfileMechanisms.named(scheme) else {
            throw DecodingError.dataCorruptedError(
                forKey: .scheme,
                in: members,
                debugDescription: "unknown scheme"
            )
        }
        var own = Set(CodingKeys.allCases.map(\.rawValue))
        if !type.hasTokenHeader { own.remove(CodingKeys.tokenHeader.rawValue) }
        try KnownNames(own.union(type.members), inner: ["expired": LoginProfileDocument.expiredMembers])
            .check(decoder)
        var profile = LoginProfile.mechanism(try type.init(from: decoder))
        profile.server = try members.decodeIfPresent(String.self, forKey: .server)
        let logoutPath =
            try members.decodeIfPresent(String.self, forKey: .logoutPath) ?? type.defaultLogoutPath ?? ""
        profile.logoutPath = logoutPath.isEmpty ? nil : logoutPath
        if type.hasTokenHeader, let header = try members.decodeIfPresent(String.self, forKey: .tokenHeader) {
            profile.tokenHeader = header.isEmpty ? nil : header
        }
        let expired = try members.decodeIfPresent(LoginProfileDocument.Expired.self, forKey: .expired)
        profile.expiry = expired?.rule ?? profile.expiry
        self.profile = profile
    }

    func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode("\(profile.scheme)", forKey: .scheme)
        try members.encodeIfPresent(profile.server, forKey: .server)
        try members.encode(LoginProfileDocument.Expired(profile.expiry), forKey: .expired)
        guard case .mechanism(let mechanism as any ProfileMechanism) = profile.scheme else {
            return try members.encodeIfPresent(profile.logoutPath, forKey: .logoutPath)
        }
        let kind = type(of: mechanism)
        // Where there is a default, none has to be said.
        let noPath = kind.defaultLogoutPath == nil ? nil : ""
        try members.encodeIfPresent(profile.logoutPath ?? noPath, forKey: .logoutPath)
        if kind.hasTokenHeader { try members.encode(profile.tokenHeader ?? "", forKey: .tokenHeader) }
        try mechanism.encode(to: encoder)
    }
}
