// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// How a file is downloaded.
public struct DownloadOptions: OptionSet, Sendable, Hashable {
    /// A bit for each option.
    public let rawValue: Int

    /// Creates options.
    ///
    /// - Parameter rawValue: Their bits.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// Continue an earlier download of the same URL, by the same user, to the same path; and keep what has arrived if this
    /// one fails. With tokens, whose account is only a label, the same user is the same login.
    ///
    /// The bytes stand beside the file, as `NAME.credkit-part`, with a note, `NAME.credkit-note`. They are continued only
    /// if the server has sent an identity of the file that changes with each of its bytes: a strong entity tag, or,
    /// without any tag or Content-Encoding, a date of modification that was at least a minute old. Otherwise the download
    /// begins anew.
    public static let resume = Self(rawValue: 1)
}
