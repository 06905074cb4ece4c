// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension Endpoint.Response: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The status, and the server's code and message. Headers and body may contain cookies and tokens, so they are left
    /// out.
    public var description: String {
        "Response(status: \(head.status.code), code: \(serverCode.map(String.init) ?? "-"), "
            + "message: \(serverMessage.debugDescription))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror without headers, token and body.
    public var customMirror: Mirror {
        Mirror(
            self,
            children: [
                "status": head.status.code, "serverCode": serverCode as Any, "serverMessage": serverMessage,
            ],
            displayStyle: .struct
        )
    }
}
