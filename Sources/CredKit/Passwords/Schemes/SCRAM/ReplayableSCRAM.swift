// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Texts with SCRAM keys that are refused, because a thief of the table logs in with what they hold.
enum ReplayableSCRAM {
    /// Returns why a text is refused; `nil` if it is not one of these.
    static func refusal(of text: String) -> PasswordError? {
        if text.hasPrefix("$scram$") {
            return .unsupported(
                "passlib's scram holds SCRAM's salted passwords, with which each old copy of the table logs in; make a verifier "
                    + "at a login"
            )
        }
        let parts = text.split(separator: "+", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, SCRAMHash.recognizes(String(parts[1])),
            MessageDigest<16>(hex: parts[0]) != nil
        else { return nil }
        return .unsupported(
            "the password-equivalent beside the SCRAM verifier still logs in; remove it ('credkit upgrade --to scram-sha-256')"
        )
    }
}
