// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPRequestBody: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The size of the body, as far as it is known. The bytes may contain passwords, so they are left out.
    public var description: String {
        switch content {
        case .bytes(let bytes): "HTTPRequestBody(\(bytes.count) bytes)"
        case .stream(_, let byteCount):
            "HTTPRequestBody(stream, \(byteCount.map { "\($0)" } ?? "unknown") bytes)"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without the bytes.
    public var customMirror: Mirror {
        Mirror(self, children: ["description": description], displayStyle: .struct)
    }
}
