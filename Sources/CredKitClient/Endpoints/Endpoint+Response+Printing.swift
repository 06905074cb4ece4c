// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Endpoint.Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Status, code and message. Headers are left out, since there may be cookies and tokens in them, and so is the body.
    public var description: String {
        "Response(status: \(status), code: \(code.map(String.init) ?? "-"), message: \(message.debugDescription))"
    }

    /// As ``description``.
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
