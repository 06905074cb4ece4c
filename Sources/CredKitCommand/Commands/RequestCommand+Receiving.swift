// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitTerminal
import HTTPTypes

extension RequestCommand {
    /// A response, and what became of its body.
    struct Receipt {
        let head: HTTPResponse
        /// Whether the body could be written.
        var isWritten = true
        /// A body that was not to be written, which may say why the request has failed.
        var omitted: [UInt8]?
    }

    /// Writes the response to the output: also one that means that the login has expired, if it cannot be renewed.
    func receive(_ transfer: ResponseTransfer, _ destination: ResponseOutput) async throws -> Receipt {
        do {
            return try await receiveAnswer(transfer, destination)
        } catch let error as ClientError {
            guard !printing.fail, let response = error.expiredResponse, let body = response.body else {
                throw error
            }
            if printing.include { try destination.write(response.head) }
            if try !destination.finish(with: body, of: response.head) { reportBinaryBody() }
            throw error
        }
    }

    private func receiveAnswer(
        _ transfer: ResponseTransfer,
        _ destination: ResponseOutput
    ) async throws -> Receipt {
        if files.output != nil && printing.cache == nil {
            let (head, omitted) = try await transfer.write(to: destination) { head in
                if printing.fail && head.status.code >= 400 { return true }
                if printing.include { try destination.write(head) }
                return false
            }
            return Receipt(head: head, omitted: omitted)
        }
        var response = try await transfer.collect()
        if transfer.cachePolicy != .noStore {
            trace?("* cache: \(response.cacheUse.status)")
            response.head.note(response.cacheUse)
        }
        guard !printing.fail || response.head.status.code < 400 else {
            return Receipt(head: response.head, omitted: response.body)
        }
        if printing.include { try destination.write(response.head) }
        let isWritten = try destination.finish(with: response.body, of: response.head)
        return Receipt(head: response.head, isWritten: isWritten)
    }

    func resume(_ transfer: ResponseTransfer, _ advice: String) async throws -> HTTPResponse {
        let path = try FileTransferOptions.path(of: files.output ?? .standardInput)
        do throws(ClientError) {
            return try await transfer.resume(to: path)
        } catch {
            guard error == .unexpectedStatus, let status = error.statusCode, status >= 400 else {
                throw error
            }
            throw CommandFailure(.no, error.description + (status == 401 ? advice : ""))
        }
    }

    /// Returns what to say of status 401 if the request had nothing to log in with, although it was not meant to.
    func advice(on request: HTTPRequest, of session: LoginSession) -> String {
        let hasLogin =
            session.account != nil || login.sign != nil || request.headerFields[.authorization] != nil
        return login.anonymous || hasLogin ? "" : "; there is no session for this server (credkit login)"
    }

    /// Reports a body that was not written, and a status that is an error.
    func report(_ receipt: Receipt, of session: LoginSession, _ advice: String) throws(CommandFailure) {
        if !receipt.isWritten { reportBinaryBody() }
        let status = receipt.head.status
        if status.code >= 400 {
            let reason = status.reasonPhrase.isEmpty ? "" : " \(status.reasonPhrase)"
            let ending =
                session.messageEnding(of: receipt.head, receipt.omitted) + (status.code == 401 ? advice : "")
            throw CommandFailure(.no, "the server answered with status \(status.code)\(reason)\(ending)")
        }
        if !receipt.isWritten { throw CommandFailure(.inputOutput) }
    }

    private func reportBinaryBody() {
        StandardStreams.report(
            "the body of the response is binary and could disturb the terminal: give -o FILE, or -o - to print it "
                + "anyway"
        )
    }

    /// Shows a line about the connection, with `--verbose`.
    var trace: (@Sendable (String) -> Void)? {
        guard printing.verbose else { return nil }
        return { StandardStreams.show(ShellQuoting.escapingUnprintable($0) + "\n") }
    }
}

extension HTTPResponse {
    /// Adds how the cache took part, for `--include`.
    fileprivate mutating func note(_ use: CacheUse) {
        guard let name = HTTPField.Name("Cache-Status") else { return }
        headerFields.append(HTTPField(name: name, value: use.status))
    }
}
