// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal
import HTTPTypes

/// `credkit request`: sends a request with a saved login session.
struct RequestCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "request",
        abstract: "Send a request as the logged-in user and print the response body.",
        usage: "credkit request [<method>] <url> [<options>]",
        discussion: """
            For instance:
              credkit request 'http://localhost:8080/studentList?id=666'
              credkit request --session work '/studentList?id=666'
              credkit request --json '{"id": 7}' http://localhost:8080/orders
              credkit request -v --fail http://localhost:8080/studentList
              credkit request --paginate link http://localhost:8080/students
              credkit request --paginate page --items data.list http://localhost:8080/list
              credkit request -C - -o report.pdf http://localhost:8080/reports/7
              credkit request -T report.pdf http://localhost:8080/reports/7
              credkit request --sign hmac-sha256:k1=signing.key -d id=7 \\
                http://localhost:8080/orders

            Without --session, the session named after the URL's server is used, as 'credkit login' names it. If there \
            is none, the request is sent without a login, and its cookies are discarded afterwards. A session that \
            --session names must exist; with it, a URL may begin with a slash and is then one of the session's server. \
            Cookies and tokens of a session are sent only to its own server and to those that 'credkit login --credential-origin' named, even \
            after a redirect. Redirects are followed. An expired \
            login is renewed, and the request is sent once more. With a session, responses are stored as the server \
            allows it, encrypted, until the logout; with --output only if --cache is given. A response may have any size \
            with --output and without --cache, and otherwise up to 16 MiB. It is printed unchanged; on a terminal without \
            --output, JSON is indented, control characters are escaped, and a binary body is not printed.

            The exit status is 0 for a response with a status below 400, and 1 for any other status; without --fail, \
            the body is printed in both cases. It is 64 when there is no session of the name, 69 when the server cannot be reached or does not answer, and 77 when the \
            login has expired and its password is not saved or is rejected.
            """
    )

    @Argument(
        help: ArgumentHelp(
            "The method (default: GET, POST with --data or --json, PUT with --upload-file), then the URL.",
            valueName: "[method] url"
        )
    )
    var target: [TextArgument] = []

    @OptionGroup(title: "Request")
    var content: RequestOptions

    @Option(
        help: ArgumentHelp("The session to use, which must exist.", valueName: "name"),
        completion: NameCompletion.sessions
    )
    var session: TextArgument?

    @Flag(help: "Send the request without a login, and without looking for one in the keychain.")
    var anonymous = false

    @Flag(
        name: .shortAndLong,
        help: "Also print the status and the headers of the response, which may contain secrets."
    )
    var include = false

    @Flag(name: .shortAndLong, help: "Print nothing of a response with a status of 400 or more.")
    var fail = false

    @Flag(
        name: .shortAndLong,
        help: "Show on standard error what is sent and received, with *** in place of what may be secret."
    )
    var verbose = false

    @Option(help: SignatureOptions.signHelp)
    var sign: SignatureKeyArgument?

    @OptionGroup(title: "Files")
    var files: FileTransferOptions

    @Option(
        help: ArgumentHelp(
            """
            Use stored responses: default (while they are fresh), reload (store only), revalidate (ask the server), \
            only-if-cached (ask no server), no-store. (default: default with a session, no-store without)
            """,
            valueName: "policy"
        )
    )
    var cache: CacheArgument?

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
        guard !files.resumes || (!content.hasBody && files.uploadFile == nil && !include && cache == nil)
        else {
            throw ValidationError(
                "--continue-at cannot be combined with --upload-file, --data, --json, --include or --cache."
            )
        }
        let target = try RequestTarget(target, content, files)
        guard session == nil || !anonymous else {
            throw ValidationError("Give only one of --session and --anonymous.")
        }
        guard !target.isRelative || session != nil else {
            throw ValidationError(
                "A URL begins with https:// or http://. One that begins with a slash is of a session's server: give "
                    + "--session as well."
            )
        }
        guard paging.paginate == nil || (!files.resumes && files.uploadFile == nil) else {
            throw ValidationError("--paginate cannot be combined with --continue-at or --upload-file.")
        }
        guard paging.paginate == nil || !include else {
            throw ValidationError("Give only one of --paginate and --include.")
        }
        _ = try paging.list(target.request, to: target.url, body: nil)
        try sign?.check("--sign", forSigning: true)
        try InputSources.check(content, connection, keychainOptions, others: [sign?.descriptor])
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
        guard sign == nil || session.sendsCredentials(to: target.url) else {
            throw CommandFailure(
                .usage,
                "--sign signs nothing for \(target.url.origin): the session's credentials do not go there"
            )
        }
        // A signed request is to reach the server, unless the command line says otherwise.
        let policy = cache?.policy ?? (session.account == nil || sign != nil ? .noStore : .default)
        if let destination, let list = try paging.list(request, to: target.url, body: body) {
            let transfer = ListTransfer(session: session, list: list, cachePolicy: policy)
            return try await transfer.write(to: destination)
        }
        let transfer = ResponseTransfer(session: session, request: request, body: body, cachePolicy: policy)
        let receipt: Receipt
        do {
            if let destination {
                receipt = try await receive(transfer, destination)
            } else {
                receipt = Receipt(head: try await resume(transfer))
            }
        } catch {
            // The server may have set cookies before the error. If saving fails, too, this error is more specific.
            try? await session.flush()
            throw (error as? ClientError)?.underlying as? CommandFailure ?? error
        }
        try await session.flush()
        try report(receipt)
    }

    private func openSession(for url: HTTPURL?) async throws -> LoginSession {
        let session = RequestSession(
            name: session,
            isAnonymous: anonymous,
            usesCache: cache != .noStore,
            trace: trace,
            signer: try sign?.signer(),
            connection: connection,
            keychainOptions: keychainOptions
        )
        return try await session.open(for: url)
    }
}

/// The argument of `--cache`.
enum CacheArgument: String, ExpressibleByArgument, CaseIterable {
    case `default`
    case noStore = "no-store"
    case reload
    case revalidate
    case onlyIfCached = "only-if-cached"

    var policy: CachePolicy {
        switch self {
        case .default: .default
        case .noStore: .noStore
        case .reload: .reload
        case .revalidate: .revalidate
        case .onlyIfCached: .onlyIfCached
        }
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
            throw CommandFailure(.no, error.description)
        }
        try await session.flush()
        try output.finish()
    }
}
