// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension LoginSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The session's name and server.
    public var description: String { "LoginSession(\(name), \(server))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror of the name only, without cookies, tokens and headers.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .class)
    }
}

extension LoginSession.Configuration: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The name, and the names of the headers. Header values may be secrets of the program.
    public var description: String {
        "LoginSession.Configuration(\(name ?? "-"), headers: \(headers.map(\.name.rawName)))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the headers' values.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .struct)
    }
}
