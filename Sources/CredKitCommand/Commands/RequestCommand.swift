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
              credkit request http://localhost:8080/list --paginate page --page-size 20 --items data.list
              credkit request -C - -o report.pdf http://localhost:8080/reports/7
              credkit request -T report.pdf http://localhost:8080/reports/7

            Without --session, the session named after the URL's server is used, as 'credkit login' names it. If there \
            is none, the request is sent without a login, and its cookies are discarded afterwards. Cookies and tokens \
            of a session are sent only to its own server and to those that 'credkit login --credential-origin' named, even \
            after a redirect. Redirects are followed. An expired \
            login is renewed, and the request is sent once more. With a session, responses are stored as the server \
            allows it, encrypted, until the logout; with --output only if --cache is given. A response may have any size \
            with --output and without --cache, and otherwise up to 16 MiB. It is printed unchanged; on a terminal without \
            --output, control characters are escaped, and a binary body is not printed.

            The exit status is 0 for a response with a status below 400, and 1 for any other status; without --fail, \
            the body is printed in both cases. It is 69 when the server cannot be reached or does not answer, and 77 when the \
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

    @Option(help: ArgumentHelp("The session to use.", valueName: "name"))
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
        guard !target.isEmpty else { throw ValidationError("Give the URL.") }
        guard target.count <= 2 else { throw UnexpectedArguments.error }
        guard content.method == nil || target.count == 1 else {
            throw ValidationError("Give the method only once: before the URL or with -X.")
        }
        guard !content.hasBody || files.uploadFile == nil else {
            throw ValidationError("Give only one of --upload-file, --data and --json.")
        }
        guard !files.resumes || (!content.hasBody && files.uploadFile == nil && !include && cache == nil)
        else {
            throw ValidationError(
                "--continue-at cannot be combined with --upload-file, --data, --json, --include or --cache."
            )
        }
        _ = try request()
        guard session == nil || !anonymous else {
            throw ValidationError("Give only one of --session and --anonymous.")
        }
        guard paging.paginate == nil || (!files.resumes && files.uploadFile == nil) else {
            throw ValidationError("--paginate cannot be combined with --continue-at or --upload-file.")
        }
        guard paging.paginate == nil || !include else {
            throw ValidationError("Give only one of --paginate and --include.")
        }
        _ = try paging.list(try request(), to: try url(), body: nil)
        try InputSources.check(content, connection, keychainOptions)
    }

    func execute() async throws {
        // Before anything is sent.
        let destination = files.resumes ? nil : try ResponseOutput(files.output)
        var (request, body) = try content.fill(try request())
        if let file = try files.body() { body = file }
        let session = try await openSession()
        let policy = cache?.policy ?? (session.account == nil ? .noStore : .default)
        if let destination, let list = try paging.list(request, to: try url(), body: body) {
            return try await printElements(of: list, session, policy, to: destination)
        }
        let transfer = ResponseTransfer(session: session, request: request, body: body, cachePolicy: policy)
        let result: (head: HTTPResponse, isWritten: Bool)
        do {
            if let destination {
                result = try await receive(transfer, destination)
            } else {
                result = (try await resume(transfer), true)
            }
        } catch {
            // The server may have set cookies before the error. If saving fails, too, this error is more specific.
            try? await session.flush()
            throw (error as? ClientError)?.underlying as? CommandFailure ?? error
        }
        try await session.flush()
        if !result.isWritten {
            StandardStreams.report(
                "the body of the response is binary and could disturb the terminal: give -o FILE, or -o - to print it "
                    + "anyway"
            )
        }
        let status = result.head.status
        if status.code >= 400 {
            let reason = status.reasonPhrase.isEmpty ? "" : " \(status.reasonPhrase)"
            throw CommandFailure(.no, "the server answered with status \(status.code)\(reason)")
        }
        if !result.isWritten { throw CommandFailure(.inputOutput) }
    }

    /// Prints the elements of all pages, each as soon as its page has been received.
    private func printElements(
        of list: PagedEndpoint<[UInt8]>,
        _ session: LoginSession,
        _ policy: CachePolicy,
        to destination: ResponseOutput
    ) async throws {
        do {
            for try await page in session.pages(of: list, cachePolicy: policy) {
                for element in page.elements { try destination.write(line: element) }
            }
        } catch {
            try? await session.flush()
            guard let error = error as? ClientError, error == .unexpectedStatus, let status = error.statusCode
            else { throw error }
            throw CommandFailure(.no, "the server answered with status \(status)")
        }
        try await session.flush()
        try destination.finish()
    }

    private func url() throws -> HTTPURL {
        try files.target(try ConnectionOptions.url(target.last?.text ?? ""))
    }

    /// Returns the request, without headers.
    private func request() throws -> HTTPRequest {
        let url = try url()
        let given = target.count == 2 ? target[0] : content.method
        let name = given?.text ?? (content.hasBody ? "POST" : files.uploadFile == nil ? "GET" : "PUT")
        guard let method = HTTPRequest.Method(name), name.lowercased() != "connect" else {
            throw ValidationError("The method is not an HTTP method that can be sent.")
        }
        return HTTPRequest(
            method: method,
            scheme: url.origin.scheme,
            authority: url.origin.authority,
            path: url.target
        )
    }

    /// Returns the session that sends the request.
    private func openSession() async throws -> LoginSession {
        let origin = try url().origin
        let keychain = anonymous ? nil : try await keychainOptions.keychain()
        var configuration = try await connection.configuration {
            if let keychain { return keychain }
            return try await keychainOptions.keychain()
        }
        try connection.reportUnusedResolution(of: try url())
        configuration.cache = cache == .noStore ? nil : .standard
        if let keychain {
            let stored = try await LoginSession.open(
                named: session?.text ?? origin.description,
                in: keychain,
                configuration: configuration
            )
            if let stored { return stored }
        }
        if let session {
            let name = ShellQuoting.escapingUnprintable(session.text)
            StandardStreams.report(
                "there is no session '\(name)': sending the request without a login; its cookies are not saved"
            )
        }
        configuration.name = "anonymous"
        return try LoginSession(
            server: origin.description,
            profile: .form(),
            keychain: nil,
            configuration: configuration
        )
    }
}
