// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitClient
import CredKitTerminal

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
            guard let error = error as? ClientError, error == .unexpectedStatus, let status = error.statusCode
            else { throw error }
            throw CommandFailure(.no, "the server answered with status \(status)")
        }
        try await session.flush()
        try output.finish()
    }
}
