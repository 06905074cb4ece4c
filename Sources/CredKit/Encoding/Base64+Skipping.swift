// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64 {
    /// What a decoder passes over.
    ///
    /// Skipping reveals by its time where the skipped characters stand, and gives up that one value has one text.
    public struct Skipping: Sendable, Hashable {
        private enum Kind { case nothing, whitespace, lineFeeds, garbage }

        private let kind: Kind

        /// Nothing: every character must belong to the text.
        public static let nothing = Skipping(kind: .nothing)

        /// Spaces, tabs, line feeds and carriage returns, wherever they stand.
        public static let whitespace = Skipping(kind: .whitespace)

        /// Line feeds, as coreutils' decoder does.
        package static let lineFeeds = Skipping(kind: .lineFeeds)

        /// Everything that is neither of the alphabet nor padding, as coreutils' decoder does on demand.
        package static let garbage = Skipping(kind: .garbage)

        /// Whether a character that is neither of the alphabet nor padding is passed over.
        func includes(_ character: UInt8) -> Bool {
            switch kind {
            case .nothing: false
            case .whitespace: character == 0x20 || character == 0x09 || character == 0x0A || character == 0x0D
            case .lineFeeds: character == 0x0A
            case .garbage: true
            }
        }
    }
}
