// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension RequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// How long the body is, as far as that is known. Its bytes are left out, since there may be passwords in them.
    public var description: String {
        switch content {
        case .bytes(let bytes): "RequestBody(\(bytes.count) bytes)"
        case .stream(_, let byteCount): "RequestBody(stream, \(byteCount.map { "\($0)" } ?? "unknown") bytes)"
        }
    }

    /// As ``description``.
    public var debugDescription: String { description }

    /// A mirror without the bytes.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .struct)
    }
}
