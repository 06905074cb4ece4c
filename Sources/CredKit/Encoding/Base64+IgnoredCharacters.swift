// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64 {
    /// The characters that a decoder skips.
    ///
    /// If characters are skipped, the time reveals their positions, and a value has more than one valid text.
    public struct IgnoredCharacters: Sendable, Hashable {
        /// The bits of a kernel's form that select the skipped characters.
        let form: UInt32

        /// No characters: every character must belong to the text.
        public static let none = IgnoredCharacters(form: 0)

        /// Spaces, tabs, line feeds and carriage returns at any position.
        public static let whitespace = IgnoredCharacters(
            form: Base64Kernel.skipsLineFeeds | Base64Kernel.skipsBlanks
        )

        /// Line feeds, as coreutils' decoder does.
        package static let lineFeeds = IgnoredCharacters(form: Base64Kernel.skipsLineFeeds)

        /// Every character that is neither in the alphabet nor padding, as with `--ignore-garbage` of coreutils.
        package static let garbage = IgnoredCharacters(form: Base64Kernel.skipsGarbage)
    }
}
