// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and path. Query, headers and content may contain passwords and tokens, so they are left out.
    public var description: String { "Endpoint(\(method.rawValue) \(path))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror with method and path only.
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method.rawValue, "path": path], displayStyle: .struct)
    }
}

extension RequestPayload: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The Content-Type. The content may contain passwords and tokens, so it is left out.
    public var description: String { "RequestPayload(\(contentType ?? "-"))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror with the Content-Type only.
    public var customMirror: Mirror {
        Mirror(self, children: ["contentType": contentType as Any], displayStyle: .struct)
    }
}
