// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitPQ
internal import CredKitServer

extension PQConnection {
    /// Why there is no connection. libpq has only a message for it.
    var connectionFailure: SharedStateError {
        let message = message
        if let answer = Self.answer(in: message) {
            return Self.poolFailure(answer) ?? SharedStateError(sqlState: answer.state, message: answer.text)
        }
        let code: SharedStateError.Code =
            if Self.isOneOf(["SSL SYSCALL", "SSL connection has been closed"], in: message) {
                .disconnected
            } else if Self.isOneOf(["certificate", "SSL", "encryption"], in: message) {
                .untrustedServer
            } else if Self.isOneOf(
                ["no password supplied", "SCRAM", "authentication method", "server signature"],
                in: message
            ) {
                .loginFailed
            } else if message.contains("read-only") || message.contains("hot standby") {
                .readOnly
            } else {
                .disconnected
            }
        return SharedStateError(code, message: message.isEmpty ? nil : message)
    }

    /// What pgbouncer means, which has one SQLSTATE for everything.
    private static func poolFailure(_ answer: (state: String, text: String)) -> SharedStateError? {
        guard answer.state == "08P01" else { return nil }
        let code: SharedStateError.Code? =
            if isOneOf(["authentication failed", "no such user"], in: answer.text) {
                .loginFailed
            } else if answer.text.contains("no more connections allowed") {
                .overloaded
            } else {
                nil
            }
        return code.map { SharedStateError($0, message: "PostgreSQL answers 08P01: \(answer.text)") }
    }

    /// The error that a server has answered, in a message such as `… failed: FATAL:  28P01: password authentication failed …`.
    private static func answer(in message: String) -> (state: String, text: String)? {
        for (index, _) in zip(message.indices, message) where message[index...].hasPrefix(":  ") {
            let rest = message[index...].dropFirst(3)
            let state = rest.prefix(5)
            guard state.utf8.count == 5,
                state.utf8.allSatisfy({ 48...57 ~= $0 || 65...90 ~= $0 }),
                rest.dropFirst(5).hasPrefix(": ")
            else { continue }
            // The place in the server's source follows in a line of its own.
            return (String(state), String(rest.dropFirst(7).prefix { $0 != ";" }))
        }
        return nil
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
