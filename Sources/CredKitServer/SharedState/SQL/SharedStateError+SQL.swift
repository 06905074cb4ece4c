// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SharedStateError {
    /// Creates the error that an error of a PostgreSQL server means.
    ///
    /// - Parameters:
    ///   - sqlState: The five characters of SQLSTATE, such as `53100`.
    ///   - message: The primary message of the server. It may contain names of tables and columns; it must not contain values,
    ///     as the detail does.
    public init(sqlState: String, message: String) {
        self.init(Self.code(sqlState), message: "PostgreSQL answers \(sqlState): \(message)")
        self.sqlState = sqlState
    }

    private static func code(_ state: String) -> Code {
        switch state {
        case "57014": return .timedOut
        case "57P01", "57P02": return .disconnected
        case "57P03": return .loading
        case "25006": return .readOnly
        case "42501": return .notPermitted
        case "53300": return .overloaded
        case "53100", "53200": return .outOfSpace
        case "40001", "40P01", "55P03": return .busy
        case "42P01", "42703", "42883", "3F000": return .wrongContent
        default: break
        }
        switch state.prefix(2) {
        case "08": return .disconnected
        case "28": return .loginFailed
        case "53": return .outOfSpace
        default: return .failed
        }
    }
}
