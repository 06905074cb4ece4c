// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension LoginSession {
    /// Downloads a file.
    ///
    /// ```swift
    /// try await session.download(.report(7), to: path, options: .resume) { print($0.fraction ?? 0) }
    /// ```
    ///
    /// The file has its name when it is complete and on the disk, and never contains anything but the bytes of one
    /// response, or of several that belong to one version of the file. A new file can be read only by this user. A file
    /// of this user that exists is replaced, and its group, permissions and access control list are kept; a group that
    /// this user is not a member of loses its access. A symbolic link is followed, unless another user can have put it there.
    ///
    /// Nothing is written before the response is known to be the file: a login page, an expired login, a status other than
    /// 200 and 206, or an envelope with a code that is no success code throws an error.
    ///
    /// There is no total timeout: see ``Timeouts/total``. A silent connection ends the download after ``Timeouts/idle``.
    ///
    /// - Parameters:
    ///   - endpoint: The endpoint with its parameters. Its decoding is not used.
    ///   - path: The path of the file.
    ///   - options: Whether an earlier download is continued.
    ///   - maximumByteCount: The maximum size of the file in bytes; `nil` for any size.
    ///   - progress: Gets the first and the last state of each attempt, and between them at most ten a second.
    /// - Returns: The size of the file, and how it came about.
    /// - Throws: A ``ClientError``: of the connection or the renewal; ``ClientError/unexpectedStatus``;
    ///   ``ClientError/serverError`` for a code in an envelope; ``ClientError/reauthenticationRequired``;
    ///   ``ClientError/malformedResponse`` if the file does not have its size or its digest; ``ClientError/overLimit``;
    ///   ``ClientError/localFile``, ``ClientError/insecureFile``.
    @discardableResult
    public func download<Value>(
        _ endpoint: Endpoint<Value>,
        to path: String,
        options: DownloadOptions = [],
        maximumByteCount: Int64? = nil,
        progress: (@Sendable (ByteProgress) -> Void)? = nil
    ) async throws(ClientError) -> DownloadedFile {
        let (request, callOptions) = try outgoing(endpoint)
        let download = Download(
            session: self,
            request: request,
            callOptions: callOptions,
            options: options,
            maximumByteCount: maximumByteCount ?? .max,
            reporter: ProgressReporter(progress ?? { _ in })
        )
        return try await download.run(to: path)
    }

    /// Downloads a file from any server: see ``download(_:to:options:maximumByteCount:progress:)`` and
    /// ``send(_:body:cachePolicy:progress:)``.
    ///
    /// - Parameters:
    ///   - request: The head, with scheme, authority and path.
    ///   - path: The path of the file.
    ///   - options: Whether an earlier download is continued.
    ///   - maximumByteCount: The maximum size of the file in bytes; `nil` for any size.
    ///   - progress: Gets the progress.
    /// - Returns: The size of the file, and how it came about.
    /// - Throws: A ``ClientError``.
    @discardableResult
    public func download(
        _ request: HTTPRequest,
        to path: String,
        options: DownloadOptions = [],
        maximumByteCount: Int64? = nil,
        progress: (@Sendable (ByteProgress) -> Void)? = nil
    ) async throws(ClientError) -> DownloadedFile {
        let download = Download(
            session: self,
            request: try outgoing(request, nil),
            callOptions: CallOptions(envelope: envelope),
            options: options,
            maximumByteCount: maximumByteCount ?? .max,
            reporter: ProgressReporter(progress ?? { _ in })
        )
        return try await download.run(to: path)
    }
}
