// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension Pager: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The method and the path of the list. Cursors and queries may be secrets, so they are left out.
    public var description: String { "Pager(\(list.endpoint.method.rawValue) \(list.endpoint.path))" }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without cursors.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .class)
    }
}
