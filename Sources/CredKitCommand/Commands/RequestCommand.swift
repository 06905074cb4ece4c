// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal
import HTTPTypes

/// `credkit request`: sends a request with a saved login session.
struct RequestCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send a request and print the response body.",
        usage: "credkit request [<method>] <url> [<options>]",
        discussion: """
            For instance:
              credkit request 'http://localhost:8080/studentList?id=666'
              credkit request --json '{"id": 7}' http://localhost:8080/orders
              credkit request --paginate link http://localhost:8080/students

            Without --session, the session named after the URL's server is used, if there is one. An expired login is \
            renewed, and redirects are followed. docs/command.md says where cookies and tokens go, and how responses are \
            stored.

            The exit status is 1 for a response with a status of 400 or more, and 77 for an expired login that cannot be \
            renewed.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The method (default: GET, POST with a body, PUT with a file), then the URL.",
            valueName: "[method] url"
        )
    )
    var target: [TextArgument] = []

    @OptionGroup(title: "Request")
    var content: RequestOptions

    @OptionGroup(title: "Response")
    var printing: ResponseOptions

    @OptionGroup(title: "Files")
    var files: FileTransferOptions

    @OptionGroup(title: "Login")
    var login: RequestLoginOptions

    @OptionGroup(title: "Pages")
    var paging: PagingOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Keychain")
    var keychainOptions: SessionKeychainOptions

    func validate() throws {
        try RequestTarget.check(target, content)
        guard !content.hasBody || files.uploadFile == nil else {
            throw ValidationError("Give only one of --upload-file, --data and --json.")
        }
        let hasContent = content.hasBody || files.uploadFile != nil
        guard !files.resumes || (!hasContent && !printing.include && printing.cache == nil) else {
            throw ValidationError(
                "--continue-at cannot be combined with --upload-file, --data, --json, --include or --cache."
            )
        }
        let target = try RequestTarget(target, content, files)
        guard login.session == nil || !login.anonymous else {
            throw ValidationError("Give only one of --session and --anonymous.")
        }
        guard !target.isRelative || login.session != nil else {
            throw ValidationError(
                "A URL begins with https:// or http://. One that begins with a slash is of a session's server: give "
                    + "--session as well."
            )
        }
        guard paging.paginate == nil || (!files.resumes && files.uploadFile == nil) else {
            throw ValidationError("--paginate cannot be combined with --continue-at or --upload-file.")
        }
        guard paging.paginate == nil || !printing.include else {
            throw ValidationError("Give only one of --paginate and --include.")
        }
        _ = try paging.list(target.request, to: target.url, body: nil)
        try login.sign?.check("--sign", forSigning: true)
        try InputSources.check(content, connection, keychainOptions, others: [login.sign?.descriptor])
    }

    func execute() async throws {
        // Before anything is sent.
        let destination = files.resumes ? nil : try ResponseOutput(files.output)
        var target = try RequestTarget(self.target, content, files)
        var (request, body) = try content.fill(target.request)
        if let file = try files.body() { body = file }
        let session = try await openSession(for: target.isRelative ? nil : target.url)
        if target.isRelative {
            target = try RequestTarget(self.target, content, files, server: session.server)
            request.scheme = target.request.scheme
            request.authority = target.request.authority
            request.path = target.request.path
        }
        guard login.sign == nil || session.sendsCredentials(to: target.url) else {
            throw CommandFailure(
                .usage,
                "--sign signs nothing for \(target.url.origin): the session's credentials do not go there"
            )
        }
        guard request.headerFields[.cookie] == nil || !session.sendsCookies(to: target.url) else {
            throw CommandFailure(
                .usage,
                "the session sends its own cookies to \(target.url.origin): remove the header Cookie, or give "
                    + "--anonymous to send it without the session"
            )
        }
        let advice = advice(on: request, of: session)
        // A signed request is to reach the server, unless the command line says otherwise.
        let policy =
            printing.cache?.policy ?? (session.account == nil || login.sign != nil ? .noStore : .default)
        if let destination, let list = try paging.list(request, to: target.url, body: body) {
            let transfer = ListTransfer(session: session, list: list, cachePolicy: policy, advice: advice)
            return try await transfer.write(to: destination)
        }
        let transfer = ResponseTransfer(session: session, request: request, body: body, cachePolicy: policy)
        let receipt: Receipt
        do {
            if let destination {
                receipt = try await receive(transfer, destination)
            } else {
                receipt = Receipt(head: try await resume(transfer, advice))
            }
        } catch {
            // The server may have set cookies before the error. If saving fails, too, this error is more specific.
            try? await session.flush()
            throw (error as? ClientError)?.underlying as? CommandFailure ?? error
        }
        try await session.flush()
        try report(receipt, of: session, advice)
    }

    private func openSession(for url: HTTPURL?) async throws -> LoginSession {
        let session = RequestSession(
            name: login.session,
            isAnonymous: login.anonymous,
            usesCache: printing.cache != .noStore,
            trace: trace,
            signer: try login.sign?.signer(),
            connection: connection,
            keychainOptions: keychainOptions
        )
        return try await session.open(for: url)
    }
}

extension CacheUse {
    /// The member of a `Cache-Status` field ([RFC 9211](https://www.rfc-editor.org/rfc/rfc9211)) that says the same.
    var status: String {
        switch self {
        case .network: "CredKit; fwd=miss"
        case .stored: "CredKit; hit"
        case .validated: "CredKit; fwd=stale; fwd-status=304"
        case .stale: "CredKit; hit; detail=stale"
        }
    }
}

/// Requests all pages of a list, and prints its elements.
struct ListTransfer {
    let session: LoginSession
    let list: PagedEndpoint<[UInt8]>
    let cachePolicy: CachePolicy
    /// What to say of status 401.
    let advice: String

    /// The number of bytes to write at once.
    private static let writtenByteCount = 64 << 10

    /// Prints the elements of all pages, each as soon as its page has been received.
    func write(to output: ResponseOutput) async throws {
        do {
            for try await page in session.pages(of: list, cachePolicy: cachePolicy) {
                var lines: [UInt8] = []
                for element in page.elements {
                    lines += element
                    lines.append(UInt8(ascii: "\n"))
                    guard lines.count >= Self.writtenByteCount else { continue }
                    try output.write(lines: lines)
                    lines.removeAll(keepingCapacity: true)
                }
                try output.write(lines: lines)
            }
        } catch {
            try? await session.flush()
            guard let error = error as? ClientError, error == .unexpectedStatus else { throw error }
            throw CommandFailure(.no, error.description + (error.statusCode == 401 ? advice : ""))
        }
        try await session.flush()
        try output.finish()
    }
}
