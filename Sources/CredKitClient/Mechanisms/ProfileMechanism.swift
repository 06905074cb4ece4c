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
        BasicMechanism.self, BearerMechanism.self, OAuthMechanism.self, SCRAMMechanism.self,
    ]

    static func named(_ scheme: String) -> (any ProfileMechanism.Type)? {
        all.first { ASCIIText.areEqual($0.scheme, scheme) }
    }
}
