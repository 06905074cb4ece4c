// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension String {
    /// Returns the text with an octal escape of each byte in place of every unprintable character.
    ///
    /// - Parameter kept: Unprintable characters that remain.
    /// - Returns: The text.
    package func escapingUnprintable(except kept: Set<Unicode.Scalar> = []) -> String {
        var text = ""
        for scalar in unicodeScalars {
            if scalar.isPrintable || kept.contains(scalar) {
                text.unicodeScalars.append(scalar)
                continue
            }
            for byte in String(scalar).utf8 {
                let octal = String(byte, radix: 8)
                text += "\\" + String(repeating: "0", count: 3 - octal.count) + octal
            }
        }
        return text
    }
}
