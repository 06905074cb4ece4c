// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import CredKitServer
public import Hummingbird
import NIOCore

// The following lines are printed in docs/frameworks.md.
/// Has what the plain context does not: the address of the client, and the user who is logged in.
struct LoginContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    let clientAddress: String
    /// `nil` outside of the routes behind ``LoginMiddleware``.
    var user: String?
    /// In bytes: a password, or the response of an authenticator.
    var maxUploadSize: Int { 1 << 16 }

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        clientAddress = ClientAddress.rateLimitKey(for: source.channel.remoteAddress?.ipAddress ?? "")
    }
}

/// Passes on the requests of users who are logged in, and answers 401 to all others.
struct LoginMiddleware: RouterMiddleware {
    let sessions: SessionTokenStore

    func handle(
        _ request: Request,
        context: LoginContext,
        next: (Request, LoginContext) async throws -> Response
    ) async throws -> Response {
        guard let token = request.cookies["__Host-session"]?.value,
            let user = try await sessions.user(of: token)
        else { throw HTTPError(.unauthorized) }
        var context = context
        context.user = user
        return try await next(request, context)
    }
}

/// A store or the table of users failed, so that no user is logged in.
extension LoginServerError: @retroactive HTTPResponseError {
    /// The client may try again.
    public var status: HTTPResponse.Status { .serviceUnavailable }

    /// Says nothing about the reason.
    public func response(from request: Request, context: some RequestContext) -> Response {
        Response(status: status)
    }
}
