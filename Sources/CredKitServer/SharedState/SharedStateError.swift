// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Why the engine of a shared state, Redis or PostgreSQL, did not answer as it must.
///
/// It is the ``LoginServerError/underlying`` of a ``LoginServerError/storeFailed``. It contains no key, name or secret, but may
/// contain what the engine reports.
public struct SharedStateError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of an error. Your own clients can define further kinds.
    public struct Code: RawRepresentable, Sendable, Hashable {
        /// The name of the kind.
        public let rawValue: String

        /// Creates a kind.
        ///
        /// - Parameter rawValue: The name of the kind.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// There was no answer within the time limit.
        public static let timedOut = Code(rawValue: "timedOut")
        /// The request had waited as long as it may before the engine was asked.
        public static let budgetSpent = Code(rawValue: "budgetSpent")
        /// There is no connection to the engine.
        public static let disconnected = Code(rawValue: "disconnected")
        /// Too many commands wait for the engine.
        public static let overloaded = Code(rawValue: "overloaded")
        /// The engine has started and is still loading its data.
        public static let loading = Code(rawValue: "loading")
        /// The engine is a replica, or read-only for another reason.
        public static let readOnly = Code(rawValue: "readOnly")
        /// The engine has too few replicas to write, or has lost its primary.
        public static let noReplicas = Code(rawValue: "noReplicas")
        /// The engine has no memory or disk space left.
        public static let outOfSpace = Code(rawValue: "outOfSpace")
        /// The engine runs another script or holds another lock for too long.
        public static let busy = Code(rawValue: "busy")
        /// The engine refused the user name, the password or the certificate.
        public static let loginFailed = Code(rawValue: "loginFailed")
        /// The engine's certificate is not valid for its name, or the connection is not encrypted as it must be.
        public static let untrustedServer = Code(rawValue: "untrustedServer")
        /// The engine's user may not do what is needed.
        public static let notPermitted = Code(rawValue: "notPermitted")
        /// A key or table has the content of another program, or is missing.
        public static let wrongContent = Code(rawValue: "wrongContent")
        /// The engine's settings can lose what must be kept.
        public static let unsafeSettings = Code(rawValue: "unsafeSettings")
        /// The clocks of the engine and of this server differ more than is permitted.
        public static let clocksDiffer = Code(rawValue: "clocksDiffer")
        /// The answer is not one that the script or statement can give.
        public static let malformedAnswer = Code(rawValue: "malformedAnswer")
        /// The settings of the client are not valid.
        public static let invalidSettings = Code(rawValue: "invalidSettings")
        /// The library of the client is not installed.
        public static let missingLibrary = Code(rawValue: "missingLibrary")
        /// The engine failed in another way.
        public static let failed = Code(rawValue: "failed")
    }

    /// The kind of the error.
    public let code: Code

    /// A message for people.
    public let description: String

    /// The error that caused this one.
    public let underlying: (any Error)?

    /// The five characters of SQLSTATE, if a PostgreSQL server answered the error.
    package internal(set) var sqlState: String?

    /// Creates an error.
    ///
    /// - Parameters:
    ///   - code: The kind of the error.
    ///   - message: A message for people: what failed, why, and what to do; `nil` for a general one. It must not contain secrets.
    ///   - underlying: The error that caused this one.
    public init(_ code: Code, message: String? = nil, underlying: (any Error)? = nil) {
        self.code = code
        description = message ?? Self.messages[code] ?? "the engine of the shared state failed"
        self.underlying = underlying
    }

    /// Returns whether both errors have the same code.
    public static func == (left: Self, right: Self) -> Bool { left.code == right.code }

    private static let messages: [Code: String] = [
        .timedOut: "the engine of the shared state did not answer in time",
        .disconnected: "there is no connection to the engine of the shared state",
        .overloaded: "too many commands wait for the engine of the shared state",
        .loading: "the engine of the shared state is still loading its data",
        .readOnly: "the engine of the shared state is a replica or read-only",
        .noReplicas: "the engine of the shared state has too few replicas to write",
        .outOfSpace: "the engine of the shared state has no space left",
        .busy: "the engine of the shared state is busy",
        .loginFailed: "the engine of the shared state refused the login",
        .untrustedServer: "the engine of the shared state is not the trusted one",
        .notPermitted: "the engine's user has too few rights",
        .wrongContent: "the engine contains something else where the shared state must be",
        .clocksDiffer: "the engine's clock differs from this server's: synchronize the clocks",
        .budgetSpent: "the request has waited for the engine of the shared state for as long as it may",
        .malformedAnswer: "the engine of the shared state gave an answer of another form",
    ]
}

extension SharedStateError {
    private static let codes: [String: Code] = [
        "LOADING": .loading, "READONLY": .readOnly, "MASTERDOWN": .noReplicas, "NOREPLICAS": .noReplicas,
        "OOM": .outOfSpace, "MISCONF": .outOfSpace, "BUSY": .busy, "TRYAGAIN": .busy, "CLUSTERDOWN": .busy,
        "NOPERM": .notPermitted, "NOAUTH": .loginFailed, "WRONGPASS": .loginFailed,
        "WRONGTYPE": .wrongContent,
        "MOVED": .readOnly, "ASK": .readOnly, "UNBLOCKED": .readOnly,
    ]

    /// Creates the error that an error of a Redis server means.
    ///
    /// - Parameter redisError: The error without the `-`, such as `OOM command not allowed when used memory > 'maxmemory'.`
    public init(redisError: some StringProtocol) {
        // Errors may repeat arguments. The first word never does.
        let word = String(redisError.prefix { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(32))
        // As Redis 7 says it, and Redis 8.
        let isRefusedScript =
            redisError.hasPrefix("ERR The user executing the script can't ")
            || redisError.hasPrefix("ERR ACL failure in script")
        let code = isRefusedScript ? .notPermitted : Self.codes[word]
        self.init(
            code ?? .failed,
            message: "Redis answers \(word.isEmpty ? "an error" : word)"
                + (code.flatMap { Self.advice[$0] }.map { ": \($0)" } ?? "")
        )
    }

    private static let advice: [Code: String] = [
        .loading: "it is loading its data",
        .readOnly: "it is a replica or part of a cluster; connect to the primary",
        .noReplicas: "it has too few replicas, or has lost its primary",
        .outOfSpace: "it has no memory left, or cannot write to its disk",
        .busy: "it is busy",
        .loginFailed: "it refuses the user name or the password",
        .notPermitted: "the user needs the rights of the scripts",
        .wrongContent: "another program uses the same keys",
    ]
}

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
