// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPQ
internal import CredKitServer

extension PQConnection {
    /// Why there is no connection. libpq has only a message for it.
    var connectionFailure: SharedStateError {
        let message = message
        let code: SharedStateError.Code =
            if Self.isOneOf(["certificate", "SSL", "encryption"], in: message) {
                .untrustedServer
            } else if Self.isOneOf(
                ["authentication failed", "no password supplied", "pg_hba.conf"],
                in: message
            ) {
                .loginFailed
            } else if message.contains("starting up") {
                .loading
            } else if message.contains("too many clients") || message.contains("remaining connection slots") {
                .overloaded
            } else if message.contains("read-only") || message.contains("hot standby") {
                .readOnly
            } else {
                .disconnected
            }
        return SharedStateError(code, message: message.isEmpty ? nil : message)
    }

    /// The error of a connection that has ended.
    var lost: SharedStateError { SharedStateError(.disconnected, message: message.isEmpty ? nil : message) }

    /// The error that a result is.
    func failure(_ result: OpaquePointer) -> SharedStateError {
        guard let state = unsafe libpq.PQresultErrorField(result, Int32(CREDKIT_PQ_SQLSTATE)) else {
            return lost
        }
        // The primary message alone: the detail can contain stored values.
        let text = unsafe libpq.PQresultErrorField(result, Int32(CREDKIT_PQ_MESSAGE))
        return unsafe SharedStateError(
            sqlState: String(cString: state),
            message: Self.line(text.map { unsafe String(cString: $0) } ?? "")
        )
    }

    private var message: String {
        unsafe Self.line(libpq.PQerrorMessage(handle).map { unsafe String(cString: $0) } ?? "")
    }

    private static func isOneOf(_ parts: [String], in message: String) -> Bool {
        parts.contains { message.contains($0) }
    }

    /// Returns a message in one line.
    private static func line(_ text: String) -> String {
        text.split(separator: "\n").map { $0.filter { $0 != "\t" } }.joined(separator: "; ")
    }
}
