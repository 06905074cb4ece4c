// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension String {
    /// Returns whether two texts are the same bytes. `==` compares characters, which may have several spellings.
    func hasBytes(of other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}
