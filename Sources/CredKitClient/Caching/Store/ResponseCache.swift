// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem

/// The stored responses of a session: in memory, and in a folder once the session has a key.
///
/// What is stored or removed is so in memory at once. The files follow on a thread of their own, in the same order.
final class ResponseCache: Sendable {
    /// What a response that is being received depends on: it is not stored if any of it has changed.
    struct Visit: Sendable, Equatable {
        /// The number of times that everything was removed: by a logout, or on demand.
        fileprivate let epoch: Int
        /// The number of invalidations. A response that was begun before one may be out of date.
        fileprivate let invalidationCount: Int
    }

    private struct State {
        var memory: CacheMemory
        var folder: CacheFolder?
        var keys: CacheKeys
        var epoch = 0
        var invalidationCount = 0
        /// The locations whose files are yet to be written or removed.
        var pending: [CacheLocation: Int] = [:]
        /// The size of the responses that are yet to be written, in bytes.
        var pendingByteCount = 0
        /// The locations that are being refreshed in the background.
        var refreshing: Set<CacheLocation> = []
    }

    let configuration: CacheConfiguration
    private let state: Lock<State>
    /// How many bytes may wait for a slow disk. What comes beyond that is not written.
    private static let maximumPendingByteCount = 8 << 20

    /// Disk access of all caches of the process, one at a time.
    private static let thread = SerialThread()
    private static let deadline = Duration.seconds(10)

    init(_ configuration: CacheConfiguration) throws(ClientError) {
        self.configuration = configuration
        let memory = CacheMemory(maximumByteCount: configuration.memory.bytes)
        state = Lock(State(memory: memory, keys: try .random()))
    }

    /// The size of the largest response that can be stored, in bytes.
    var maximumResponseByteCount: Int { max(configuration.memory.bytes / 8, configuration.disk.bytes / 20) }

    /// A keyed hash of a request field.
    func digest(_ bytes: [UInt8]) -> [UInt8] { state.withLock { $0.keys }.digest(bytes) }

    /// Begins to receive a response.
    var visit: Visit {
        state.withLock { Visit(epoch: $0.epoch, invalidationCount: $0.invalidationCount) }
    }

    /// Returns the stored responses of a location.
    ///
    /// A file is read on the caller's thread: with the page cache that takes less time than changing threads.
    func responses(at location: CacheLocation) -> [CachedResponse] {
        let (found, folder, epoch) = state.withLock { state -> ([CachedResponse]?, CacheFolder?, Int) in
            if let found = state.memory[location] { return (found, nil, 0) }
            return (nil, state.pending[location] == nil ? state.folder : nil, state.epoch)
        }
        if let found { return found }
        guard let folder else { return [] }
        let read = folder.read(location)
        if !read.isEmpty {
            state.withLock { state in
                // Otherwise it was removed while it was read.
                guard state.epoch == epoch, state.pending[location] == nil else { return }
                state.memory[location] = read
            }
        }
        return read
    }

    /// Stores a response in place of the one with the same variant.
    func store(_ response: CachedResponse, at location: CacheLocation, _ visit: Visit) {
        let size = response.byteCount
        let isWritten = Lock(true)
        change(location, visit) { state in
            state.memory.store(response, at: location, maximumVariantCount: CacheFolder.maximumVariantCount)
            guard state.folder != nil else { return }
            if state.pendingByteCount > Self.maximumPendingByteCount {
                isWritten.withLock { $0 = false }
            } else {
                state.pendingByteCount += size
            }
        } files: { [state] folder in
            // What is there is older than the response that is not written.
            guard isWritten.withLock({ $0 }) else {
                return folder.remove(location, variants: [response.entry.variant])
            }
            folder.store(response, at: location)
            state.withLock { $0.pendingByteCount -= size }
        }
    }

    /// Removes stored responses of a location.
    func remove(_ variants: [VariantKey], at location: CacheLocation) {
        change(location) { state in
            let rest = state.memory[location]?.filter { !variants.contains($0.entry.variant) }
            state.memory[location] = rest
        } files: { folder in
            folder.remove(location, variants: variants)
        }
    }

    /// Removes all stored responses of locations that are out of date, and lets no response be stored that is being
    /// received now.
    func invalidate(_ locations: [CacheLocation]) {
        state.withLock { $0.invalidationCount += 1 }
        for location in locations {
            change(location) {
                $0.memory[location] = nil
            } files: {
                $0.remove(location)
            }
        }
    }

    private func change(
        _ location: CacheLocation,
        _ visit: Visit? = nil,
        _ body: (inout State) -> Void,
        files: @escaping @Sendable (CacheFolder) -> Void
    ) {
        let folder = state.withLock { state -> CacheFolder? in
            if let visit {
                let now = Visit(epoch: state.epoch, invalidationCount: state.invalidationCount)
                guard visit == now else { return nil }
            }
            body(&state)
            guard let folder = state.folder else { return nil }
            state.pending[location, default: 0] += 1
            return folder
        }
        guard let folder else { return }
        let isQueued = Self.thread.enqueue { [self] in
            files(folder)
            endPending(location)
        }
        if !isQueued { endPending(location) }
    }

    private func endPending(_ location: CacheLocation) {
        state.withLock { state in
            let count = (state.pending[location] ?? 1) - 1
            state.pending[location] = count > 0 ? count : nil
        }
    }

    /// Reserves a location for a refresh in the background.
    ///
    /// - Returns: Whether none is under way.
    func beginRefresh(of location: CacheLocation) -> Bool {
        state.withLock { $0.refreshing.insert(location).inserted }
    }

    func endRefresh(of location: CacheLocation) {
        state.withLock { _ = $0.refreshing.remove(location) }
    }
}

// The folder.
extension ResponseCache {
    /// Uses the folder of a session's key from now on.
    ///
    /// - Parameters:
    ///   - key: The key.
    ///   - isCreated: Whether to create the folder: only at a login, so that a process that does not know of a logout
    ///     makes none anew.
    /// - Throws: ``ClientError/storage``, ``ClientError/outOfMemory``, ``ClientError/cancelled``.
    func open(with key: SessionKey, isCreated: Bool) async throws(ClientError) {
        let limit = configuration.disk.bytes
        let keys = try CacheKeys(from: key.bytes)
        let path = try path(keys)
        let folder = try await Self.run { () -> CacheFolder? in
            limit > 0
                ? try? CacheFolder(path, keys: keys, maximumByteCount: limit, isCreated: isCreated) : nil
        }
        state.withLock { state in
            state.epoch += 1
            state.memory.removeAll()
            state.keys = keys
            state.folder = folder
        }
    }

    /// Removes everything, and stores nothing that is being received now.
    ///
    /// - Parameter key: The key whose folder is removed as well; `nil` to keep the folder.
    /// - Throws: ``ClientError/storage``, ``ClientError/outOfMemory``, ``ClientError/cancelled``.
    func removeAll(andFolderOf key: SessionKey? = nil) async throws(ClientError) {
        let old = state.withLock { state -> CacheFolder? in
            state.epoch += 1
            state.memory.removeAll()
            defer { if key != nil { state.folder = nil } }
            return state.folder
        }
        let limit = configuration.disk.bytes
        var keys: CacheKeys?
        if let key { keys = try CacheKeys(from: key.bytes) }
        let path = try keys.map { (keys) throws(ClientError) in try self.path(keys) }
        try await Self.run { [keys] in
            if let old { return old.removeAll(includingFolder: path != nil) }
            guard let path, let keys else { return }
            let folder = try? CacheFolder(path, keys: keys, maximumByteCount: limit, isCreated: false)
            folder?.removeAll(includingFolder: true)
        }
    }

    /// Removes the stored responses of a location.
    func removeAll(at location: CacheLocation) async throws(ClientError) {
        invalidate([location])
        try await flush()
    }

    /// Waits until all files are written.
    func flush() async throws(ClientError) { try await Self.run {} }

    /// The size of what is stored, in bytes.
    func sizes() async throws(ClientError) -> (memory: Int, disk: Int) {
        let (memory, folder) = state.withLock { ($0.memory.byteCount, $0.folder) }
        return (memory, try await Self.run { folder?.byteCount ?? 0 })
    }

    private func path(_ keys: CacheKeys) throws(ClientError) -> String {
        let name = Hex.encode(keys.digest(Array("folder".utf8)))
        if let folder = configuration.folder { return "\(folder)/\(name)" }
        do throws(SystemError) {
            return try UserDirectories.cache() + "/credkit/responses/\(name)"
        } catch {
            throw .storage(error.description)
        }
    }

    private static func run<Value: Sendable>(
        _ body: @escaping @Sendable () -> Value
    ) async throws(ClientError) -> Value {
        try await thread.run(
            deadline: deadline,
            orThrow: { (failure) -> ClientError in
                failure == .cancelled
                    ? .cancelled : .storage("the folder of stored responses cannot be used in time")
            }
        ) { _ in .success(body()) }
    }
}
