// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The origin and the path. The query may contain secrets and is left out.
    public var description: String { "\(origin)\(path)" }

    /// The same as ``description``, because lists and optionals print their elements with this.
    public var debugDescription: String { description }

    /// A mirror without the query.
    public var customMirror: Mirror {
        Mirror(self, children: ["origin": origin, "path": path], displayStyle: .struct)
    }
}
