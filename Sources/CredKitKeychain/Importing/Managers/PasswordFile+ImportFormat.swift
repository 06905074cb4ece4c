// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension PasswordFile {
    /// A format that is read. Those of ``Format`` are written as well.
    public enum ImportFormat: String, Sendable, Hashable, CaseIterable {
        /// The XML of KeePass 2 and KeePassXC.
        case keePassXML = "keepass-xml"
        /// The CSV table of KeePassXC and KeePassX 2.
        case keePassXCCSV = "keepassxc-csv"
        /// The unencrypted JSON of Bitwarden.
        case bitwardenJSON = "bitwarden-json"
        /// The CSV table of Bitwarden, which has logins and notes alone.
        case bitwardenCSV = "bitwarden-csv"
        /// The CSV table of Chromium, Google Chrome, Edge and others.
        case chromiumCSV = "chromium-csv"
        /// The CSV table of Firefox.
        case firefoxCSV = "firefox-csv"
        /// The CSV table of LastPass.
        case lastPassCSV = "lastpass-csv"
        /// The CSV table of Apple Passwords and Safari.
        case appleCSV = "apple-csv"
        /// The file `export.data` of 1Password's archive `.1pux`.
        case onePasswordJSON = "1password-json"
        /// The CSV table of 1Password.
        case onePasswordCSV = "1password-csv"
        /// The CSV table of Dashlane.
        case dashlaneCSV = "dashlane-csv"
        /// The CSV table of Proton Pass.
        case protonPassCSV = "protonpass-csv"
    }
}
