// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension LoginProfile.Scheme {
    /// Returns whether both schemes send the same for every password.
    public static func == (left: Self, right: Self) -> Bool { left.identity == right.identity }

    /// Hashes the scheme.
    public func hash(into hasher: inout Hasher) { hasher.combine(identity) }

    private var identity: [AnyHashable] {
        switch self {
        case .timestamped(let keyPhrase, let challenge): [description, keyPhrase, challenge]
        case .form, .insecureGetForm: [description]
        case .mechanism(let mechanism): [AnyHashable(mechanism)]
        }
    }
}
