// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitTerminal
import HTTPTypes

extension RequestCommand {
    /// Writes the response to the output, and returns whether it could be written there.
    func receive(
        _ transfer: ResponseTransfer,
        _ destination: ResponseOutput
    ) async throws -> (head: HTTPResponse, isWritten: Bool) {
        if files.output != nil && cache == nil {
            let head = try await transfer.write(to: destination) { head in
                if fail && head.status.code >= 400 { return true }
                if include { try destination.write(head) }
                return false
            }
            return (head, true)
        }
        var response = try await transfer.collect()
        if transfer.cachePolicy != .noStore { response.head.note(response.cacheUse) }
        guard !fail || response.head.status.code < 400 else { return (response.head, true) }
        if include { try destination.write(response.head) }
        return (response.head, try destination.finish(with: response.body))
    }

    func resume(_ transfer: ResponseTransfer) async throws -> HTTPResponse {
        let path = try FileTransferOptions.path(of: files.output ?? .standardInput)
        do throws(ClientError) {
            return try await transfer.resume(to: path)
        } catch {
            guard error == .unexpectedStatus, let status = error.statusCode, status >= 400 else {
                throw error
            }
            throw CommandFailure(.no, error.description)
        }
    }

    /// Reports a body that was not written, and a status that is an error.
    func report(_ result: (head: HTTPResponse, isWritten: Bool)) throws(CommandFailure) {
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
}

extension HTTPResponse {
    /// Adds how the cache took part, for `--include`.
    fileprivate mutating func note(_ use: CacheUse) {
        guard let name = HTTPField.Name("Cache-Status") else { return }
        headerFields.append(HTTPField(name: name, value: use.status))
    }
}
