// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Base64 {
    /// What a decoder passes over.
    ///
    /// Skipping reveals by its time where the skipped characters stand, and gives up that one value has one text.
    public struct Skipping: Sendable, Hashable {
        /// The part of a kernel's form that says so.
        let form: UInt32

        /// Nothing: every character must belong to the text.
        public static let nothing = Skipping(form: 0)

        /// Spaces, tabs, line feeds and carriage returns, wherever they stand.
        public static let whitespace = Skipping(
            form: Base64Kernel.skipsLineFeeds | Base64Kernel.skipsBlanks
        )

        /// Line feeds, as coreutils' decoder does.
        package static let lineFeeds = Skipping(form: Base64Kernel.skipsLineFeeds)

        /// Everything that is neither of the alphabet nor padding, as coreutils' decoder does on demand.
        package static let garbage = Skipping(form: Base64Kernel.skipsGarbage)
    }
}
