// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension Endpoint: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Method and path. Query, headers and content are left out, since there may be passwords and tokens in them.
    public var description: String { "Endpoint(\(method.rawValue) \(path))" }

    /// As ``description``.
    public var debugDescription: String { description }

    /// A mirror with method and path only.
    public var customMirror: Mirror {
        Mirror(self, children: ["method": method.rawValue, "path": path], displayStyle: .struct)
    }
}

extension EndpointContent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type. What is sent is left out, since there may be passwords and tokens in it.
    public var description: String { "EndpointContent(\(type ?? "-"))" }

    /// As ``description``.
    public var debugDescription: String { description }

    /// A mirror with the type only.
    public var customMirror: Mirror {
        Mirror(self, children: ["type": type as Any], displayStyle: .struct)
    }
}
