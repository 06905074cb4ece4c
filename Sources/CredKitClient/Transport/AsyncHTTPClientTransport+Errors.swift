// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL
internal import Glibc

extension AsyncHTTPClientTransport {
    /// What went wrong, in words that do not name anybody's classes.
    static func error(_ error: any Error, isInBody: Bool) -> LoginError {
        if Task.isCancelled { return .cancelled }
        switch error {
        case let error as LoginError: return error
        case is CancellationError: return .cancelled
        case let error as HTTPClientError: return self.error(error, isInBody: isInBody)
        case let error as HTTPParserError:
            switch error {
            case .headerOverflow: return .overLimit("the response has too many headers, or too long ones")
            case .invalidEOFState, .closedConnection: return closed(isInBody: isInBody)
            default: return .malformedResponse("the response is not HTTP")
            }
        case is ResponseStatusGuard.InvalidStatus: return .malformedResponse("the response is not HTTP")
        case let error as NIOConnectionError: return connectionError(error)
        case let error as ChannelError:
            if case .connectTimeout = error { return .timedOut("no connection to the server in time") }
            return closed(isInBody: isInBody)
        case let error as IOError: return self.error(error, isInBody: isInBody)
        case let error as NIOSSLExtraError where error == .failedToValidateHostname:
            return .untrustedServer("the server's certificate is for another host")
        case is NIOSSLExtraError:
            return .untrustedServer("no TLS connection can be made to a host of that name")
        case let error as NIOSSLError: return tlsError(error, isInBody: isInBody)
        case is BoringSSLError: return .untrustedServer("no TLS connection can be made with the server")
        default: return closed(isInBody: isInBody)
        }
    }

    private static func closed(isInBody: Bool) -> LoginError {
        isInBody
            ? .noResponse("the server closed the connection in the middle of its response")
            : .noResponse("the server closed the connection before it had answered")
    }

    private static func error(_ error: HTTPClientError, isInBody: Bool) -> LoginError {
        switch error {
        case .cancelled, .requestStreamCancelled: .cancelled
        case .readTimeout: .timedOut("the server sent nothing for too long")
        case .writeTimeout: .timedOut("the server read nothing for too long")
        case .connectTimeout: .timedOut("no connection to the server in time")
        case .tlsHandshakeTimeout: .timedOut("no TLS connection to the server in time")
        case .getConnectionFromPoolTimeout: .timedOut("no connection to the server was free in time")
        case .deadlineExceeded: .timedOut("no response in time")
        case .remoteConnectionClosed, .uncleanShutdown: closed(isInBody: isInBody)
        case .invalidURL, .emptyHost, .emptyScheme: .invalidRequest("the request has no valid URL")
        case .bodyLengthMismatch: .invalidRequest("the body is not as long as was said")
        case .traceRequestWithBody: .invalidRequest("a TRACE request has no body")
        default:
            error.shortDescription.hasPrefix("Invalid header field")
                ? .invalidRequest("a header has characters that HTTP does not allow")
                : .noResponse("the request failed: \(error.shortDescription.lowercased())")
        }
    }

    private static func connectionError(_ error: NIOConnectionError) -> LoginError {
        if error.connectionErrors.isEmpty { return .noConnection("no such host: \(error.host)") }
        for failure in error.connectionErrors {
            if let error = failure.error as? IOError, error.errnoCode == ECONNREFUSED { return refused }
        }
        if case ChannelError.connectTimeout? = error.connectionErrors.first?.error {
            return .timedOut("no connection to the server in time")
        }
        return .noConnection("the server cannot be reached")
    }

    private static var refused: LoginError {
        .noConnection("nothing listens there: the connection was refused")
    }

    private static func error(_ error: IOError, isInBody: Bool) -> LoginError {
        switch error.errnoCode {
        case ECONNREFUSED: refused
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EADDRNOTAVAIL, EACCES, EPERM:
            .noConnection("the server cannot be reached")
        case ETIMEDOUT: .timedOut("no response in time")
        default: closed(isInBody: isInBody)
        }
    }

    private static func tlsError(_ error: NIOSSLError, isInBody: Bool) -> LoginError {
        switch error {
        case .uncleanShutdown: closed(isInBody: isInBody)
        case .handshakeFailed(.sslError(let stack)) where stack.contains(.eofDuringHandshake):
            .noResponse("the server closed the connection before TLS was agreed on")
        case .handshakeFailed(.sslError(let stack))
        where stack.contains { $0.description.contains("CERTIFICATE_VERIFY_FAILED") }:
            .untrustedServer(
                "the server's certificate is not trusted: its issuer is not known, or it has expired"
            )
        case .handshakeFailed, .noCertificateToValidate, .unableToValidateCertificate:
            .untrustedServer("no TLS connection can be made with the server")
        default: closed(isInBody: isInBody)
        }
    }
}
