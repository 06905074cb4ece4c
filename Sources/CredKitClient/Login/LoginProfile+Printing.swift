// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension LoginProfile: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of login and its path, without the key phrase.
    public var description: String {
        "LoginProfile(\(scheme), \(loginPath))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the key phrase.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .struct)
    }
}

extension LoginProfile.Scheme: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The scheme's name, without the key phrase.
    public var description: String {
        switch self {
        case .timestamped: "timestamped"
        case .form: "form"
        case .insecureGetForm: "insecureGetForm"
        case .mechanism(let mechanism): mechanism.name
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the key phrase.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .enum)
    }
}
