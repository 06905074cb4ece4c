// Part of CredKit. SPDX-License-Identifier: Apache-2.0

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
        let isRefusedScript = redisError.hasPrefix("ERR The user executing the script can't ")
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
