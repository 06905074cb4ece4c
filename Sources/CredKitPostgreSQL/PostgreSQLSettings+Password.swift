// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension PostgreSQLSettings {
    /// Returns whether a connection string contains a password, which every user of the machine could read in the list of
    /// processes: a program should refuse it on its command line.
    ///
    /// - Parameter text: The string or URI, such as `host=db dbname=app` or `postgresql://db/app`, which may be malformed.
    /// - Returns: `true` also for some texts that only look as if.
    public static func containsPassword(_ text: String) -> Bool {
        let decoded = PercentCoding.component.decodeLeniently(text.utf8)
        for text in [Array(text.utf8), decoded] where namesPassword(text) { return true }
        guard let start = text.firstRange(of: "://") else { return false }
        // The user's name and password are before the host, which contains no at sign.
        let authority = text[start.upperBound...].prefix { $0 != "/" }
        guard let end = authority.lastIndex(of: "@") else { return false }
        return authority[..<end].contains(":")
    }

    /// Returns whether `password` or `sslpassword` and an equals sign occur, with any quotes or spaces around them.
    private static func namesPassword(_ text: [UInt8]) -> Bool {
        let lower = String(decoding: text, as: UTF8.self).lowercased()
        return lower.split(separator: "password", omittingEmptySubsequences: false).dropFirst().contains {
            rest in
            rest.drop(while: \.isWhitespace).first == "="
        }
    }
}
