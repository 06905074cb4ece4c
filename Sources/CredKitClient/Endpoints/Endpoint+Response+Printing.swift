// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Endpoint.Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, code and message. Headers and body may contain cookies and tokens, so they are left out.
    public var description: String {
        "Response(status: \(status), code: \(code.map(String.init) ?? "-"), message: \(message.debugDescription))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without headers, token and body.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: ["status": status, "code": code as Any, "message": message],
            displayStyle: .struct
        )
    }
}
