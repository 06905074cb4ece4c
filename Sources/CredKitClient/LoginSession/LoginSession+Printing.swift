// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension LoginSession: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The session's name and server.
    public var description: String { "LoginSession(\(name), \(server))" }

    /// As ``description``.
    public var debugDescription: String { description }

    /// A mirror of the name alone: cookies, tokens and headers are nobody's to print.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .class)
    }
}

extension LoginSession.Configuration: CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The name, and the names of the headers. Their values may be keys of the program's own.
    public var description: String {
        "LoginSession.Configuration(\(name ?? "-"), headers: \(headers.map(\.name.rawName)))"
    }

    /// As ``description``.
    public var debugDescription: String { description }

    /// A mirror without the headers' values.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .struct)
    }
}
