// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// A file that was downloaded.
public struct DownloadedFile: Sendable {
    /// Status and headers of the last response, without the cookies and the token, which belong to the session.
    public let head: HTTPResponse

    /// The size of the file in bytes.
    public let byteCount: Int64

    /// How many of these bytes an earlier download had left.
    public let resumedByteCount: Int64

    /// Whether the server has sent a digest of the file, which is correct (RFC 9530).
    public let isDigestVerified: Bool
}
