// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// Parses port numbers.
enum PortText {
    /// Returns the number from 1 to 65535 that decimal digits denote; `nil` for other text.
    static func number(_ text: Substring.UTF8View) -> UInt16? {
        guard text.count <= 5, text.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = UInt16(Substring(text)), number > 0
        else { return nil }
        return number
    }
}
