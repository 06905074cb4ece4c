// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKit

/// The cache of a session's responses.
///
/// ```swift
/// configuration.cache = .standard
/// ```
///
/// It is a private cache ([RFC 9111](https://www.rfc-editor.org/rfc/rfc9111)): the responses of one account are never
/// found by another one, nor without a login. On disk they are encrypted under a key that is derived from the session's,
/// and file names tell neither URLs nor accounts. A logout removes them. Cookies and tokens are never stored. A session
/// without a keychain caches in memory only.
public struct CacheConfiguration: Sendable, Hashable {
    /// How much memory stored responses may take; 4 MiB by default.
    public var memory = MemorySize.mebibytes(4)

    /// How much space the files may take; 20 MiB by default, 0 for none. A response that takes more than a twentieth of
    /// it is not written.
    public var disk = MemorySize.mebibytes(20)

    /// Whether a stored response is used while the server cannot be reached, although it is out of date, unless the
    /// server forbids that; `false` by default.
    public var servesStaleOffline = false

    /// Whether a stale response may answer while a new one is requested in the background, as `stale-while-revalidate`
    /// permits (RFC 5861). A program that ends with its answer ends that request too: it would print the old response
    /// each time.
    package var refreshesInBackground = true

    /// The folder of the files; `$XDG_CACHE_HOME/credkit/responses` (`~/.cache`) if `nil`.
    public var folder: String?

    /// Creates the default configuration.
    public init() {}

    /// 4 MiB of memory, 20 MiB on disk.
    public static let standard = CacheConfiguration()
}
