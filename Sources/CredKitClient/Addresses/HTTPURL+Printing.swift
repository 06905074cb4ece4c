// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPURL: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Origin and path. The query is left out, since there may be secrets in it; ``text`` has all.
    public var description: String { "\(origin)\(path)" }

    /// As ``description``: lists and optionals print their elements with this.
    public var debugDescription: String { description }

    /// A mirror without the query.
    public var customMirror: Mirror {
        Mirror(self, children: ["origin": origin, "path": path], displayStyle: .struct)
    }
}
