// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem

/// A file that is sent as the body of a request, each time from its start.
struct FileUpload: Sendable {
    private static let pieceByteCount = 512 << 10

    private let file: UnchangedFile

    /// Looks at a file.
    ///
    /// - Throws: `localFile`.
    init(_ path: String) throws(ClientError) {
        do throws(SystemError) { file = try UnchangedFile(path) } catch { throw .localFile(error) }
    }

    /// The size in bytes.
    var byteCount: Int64 { file.byteCount }

    /// The bytes. Each reader opens the file anew.
    var stream: HTTPResponseBody {
        let file = file
        return HTTPResponseBody {
            var reader: UnchangedFile.Reader?
            var position: Int64 = 0
            return HTTPResponseBody.AsyncIterator { () async throws(ClientError) in
                let (current, start) = (reader, position)
                let result = await DetachedThread.value { () -> Result<Piece, SystemError> in
                    do throws(SystemError) {
                        let reader: UnchangedFile.Reader
                        if let current { reader = current } else { reader = try file.reader() }
                        let bytes = try reader.read(at: start, limit: Self.pieceByteCount)
                        return .success(Piece(reader: reader, bytes: bytes))
                    } catch {
                        return .failure(error)
                    }
                }
                guard let result else { throw .localFile("cannot read a file: no thread can be started") }
                let piece: Piece
                do throws(SystemError) { piece = try result.get() } catch { throw .localFile(error) }
                reader = piece.reader
                position += Int64(piece.bytes.count)
                return piece.bytes.isEmpty ? nil : piece.bytes
            }
        }
    }

    private struct Piece: Sendable {
        let reader: UnchangedFile.Reader
        let bytes: [UInt8]
    }
}
