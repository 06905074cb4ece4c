// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit

extension PasswordEntry {
    /// Turns a seed in Base32 into a URI, which one-time codes are stored as. What is neither becomes a field.
    mutating func useOneTimeCode() {
        guard let text = oneTimeCode, (try? OneTimeCodeKey(uri: text)) == nil else { return }
        oneTimeCode = nil
        if let key = try? OneTimeCodeKey(base32: text), let uri = try? key.uri() {
            oneTimeCode = uri
            return
        }
        add("otp", text)
        leaveOut("one-time code", "kept as the field 'otp': it is no otpauth:// URI and no seed in Base32")
    }
}
