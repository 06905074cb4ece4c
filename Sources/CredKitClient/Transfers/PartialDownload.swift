// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKitSystem
internal import CredKit

/// The file of a download, and the note about its bytes. Each call runs on a thread of its own, to its end: also when
/// the task is cancelled, so that calls never overlap.
struct PartialDownload: Sendable {
    private let file: PartialFile
    /// URL, account and so on.
    private let owner: [String]
    private let path: String
    /// Whether the bytes that are there are those of this download.
    private let isOwn = Lock(false)

    /// Opens the file.
    ///
    /// - Parameters:
    ///   - path: The path that the file gets.
    ///   - owner: What the bytes of an earlier download must belong to.
    /// - Throws: `localFile`, `insecureFile`.
    init(_ path: String, owner: [String]) async throws(ClientError) {
        let operation = "cannot write \(path)"
        file = try await Self.onThread(operation) { () throws(SystemError) in
            try PartialFile(path, operation)
        }
        self.owner = owner
        self.path = path
    }

    /// Returns the bytes of an earlier download that can be continued; `nil` if there are none.
    func part() async throws(ClientError) -> DownloadPlan.Part? {
        try await onThread { (file) throws(SystemError) in
            guard let bytes = file.note(limit: DownloadNote.maximumByteCount), let note = DownloadNote(bytes),
                note.belongs(to: owner)
            else { return nil }
            var byteCount = try file.byteCount()
            // After a power failure, a file can have its size without its bytes.
            if note.boot == nil || note.boot != BootIdentifier.current {
                byteCount = min(byteCount, note.durableByteCount)
                try file.truncate(to: byteCount)
            }
            isOwn.withLock { $0 = true }
            return DownloadPlan.Part(byteCount: byteCount, validator: note.validator, total: note.total)
        }
    }

    /// Removes all bytes, and begins anew.
    ///
    /// - Parameters:
    ///   - validator: The validator of the bytes that follow; `nil` if they cannot be continued later.
    ///   - total: Their number, if it is known.
    /// - Throws: `localFile`.
    func begin(_ validator: DownloadValidator?, total: Int64?) async throws(ClientError) {
        try await onThread { (file) throws(SystemError) in
            // In this order, so that no note ever stands beside bytes that it is not about.
            try file.removeNote()
            try file.truncate(to: 0)
            isOwn.withLock { $0 = true }
            guard let validator else { return }
            let salt = Hex.encode(SecureRandom.bytes(count: 16))
            let owner = DownloadNote.owner(owner, salt: salt)
            let boot = BootIdentifier.current
            try file.write(
                note: DownloadNote(owner: owner, validator: validator, total: total, boot: boot).bytes
            )
        }
    }

    /// Writes bytes at a position.
    func write(_ bytes: [UInt8], at position: Int64) async throws(ClientError) {
        try await onThread { (file) throws(SystemError) in try file.write(bytes, at: position) }
    }

    /// Keeps the bytes for later, if they can be continued, and removes them otherwise. Errors are ignored: the error
    /// that ended the download is more specific.
    func interrupt() async {
        try? await onThread { (file) throws(SystemError) in
            guard !file.hasEnded else { return }
            // What another download has left there stays as it is, unless it is nothing.
            let isEmpty = try file.byteCount() == 0
            guard isEmpty || isOwn.withLock({ $0 }) else { return file.unlock() }
            guard let bytes = file.note(limit: DownloadNote.maximumByteCount),
                var note = DownloadNote(bytes), note.belongs(to: owner), try file.byteCount() > 0
            else { return file.discard() }
            defer { file.unlock() }
            try file.synchronize()
            note.durableByteCount = try file.byteCount()
            note.boot = BootIdentifier.current
            try file.write(note: note.bytes)
        }
    }

    /// Gives the file its name, after checking its size and its digests.
    ///
    /// - Parameters:
    ///   - byteCount: The size.
    ///   - digests: What the server says about the bytes.
    /// - Throws: `localFile`; `malformedResponse` if size or digests do not match, and the bytes were removed.
    func commit(_ byteCount: Int64, digests: [DownloadDigest]) async throws(ClientError) {
        let isIntact = try await onThread { (file) throws(SystemError) in
            guard try file.byteCount() == byteCount else { return false }
            if !digests.isEmpty {
                var check = DigestCheck(digests)
                var position = check.range.lowerBound
                try file.read(from: position, to: check.range.upperBound) { piece in
                    check.update(piece, at: position)
                    position += Int64(piece.count)
                }
                guard check.isIntact else { return false }
            }
            try file.commit()
            return true
        }
        guard !isIntact else { return }
        try? await onThread { (file) throws(SystemError) in file.discard() }
        throw .malformedResponse("the file does not have the size or the digest that the server has sent")
    }

    private func onThread<Value: Sendable>(
        _ body: @escaping @Sendable (PartialFile) throws(SystemError) -> Value
    ) async throws(ClientError) -> Value {
        let file = file
        return try await Self.onThread("cannot write \(path)") { () throws(SystemError) in try body(file) }
    }

    private static func onThread<Value: Sendable>(
        _ operation: String,
        _ body: @escaping @Sendable () throws(SystemError) -> Value
    ) async throws(ClientError) -> Value {
        let result = await DetachedThread.value { () -> Result<Value, SystemError> in
            do throws(SystemError) { return .success(try body()) } catch { return .failure(error) }
        }
        guard let result else { throw .localFile("\(operation): no thread can be started") }
        do throws(SystemError) { return try result.get() } catch { throw .localFile(error) }
    }
}
