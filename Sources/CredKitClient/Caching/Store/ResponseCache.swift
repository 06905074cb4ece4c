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
        var keys: CacheCipherKeys
        /// The session's key that the folder belongs to; `nil` if there is none yet.
        var key: SessionKey?
        var epoch = 0
        var invalidationCount = 0
        /// The locations whose files are yet to be written or removed.
        var pending: [CacheLocation: Int] = [:]
        /// The size of the responses that are yet to be written, in bytes.
        var pendingByteCount = 0
        /// The number of changes and removals. What was read from a file before one is not taken into memory.
        var changeCount = 0
        /// The number of removals of everything that wait for the disk. Until then no file is read.
        var removalCount = 0
        /// The locations that are being refreshed in the background.
        var refreshing: Set<CacheLocation> = []

        func isOpen(with key: SessionKey) -> Bool { self.key.map { $0.bytes == key.bytes } ?? false }

        mutating func forgetAll() {
            epoch += 1
            changeCount += 1
            memory.removeAll()
        }

        mutating func end(_ job: Job, at location: CacheLocation) {
            pendingByteCount -= job.byteCount
            let count = (pending[location] ?? 1) - 1
            pending[location] = count > 0 ? count : nil
        }
    }

    let configuration: CacheConfiguration
    private let clock: CacheClock
    private let state: Lock<State>
    /// How many bytes may wait for a slow disk. What comes beyond that is not written.
    private static let maximumPendingByteCount = 8 << 20

    /// Disk access of all caches of the process, one at a time.
    private static let thread = SerialThread()
    private static let deadline = Duration.seconds(10)

    init(
        _ configuration: CacheConfiguration,
        clock: CacheClock = CacheClock(wall: { .now })
    ) throws(ClientError) {
        self.configuration = configuration
        self.clock = clock
        let memory = CacheMemory(maximumByteCount: configuration.memory.bytes)
        state = Lock(State(memory: memory, keys: try .random()))
    }

    /// The time by which stored responses age. If the clock was set back, everything is forgotten.
    func now() -> UnixTime {
        let (time, wasSetBack) = clock.read()
        if wasSetBack { forgetAll() }
        return time
    }

    private func forgetAll() {
        let folder = state.withLock { state -> CacheFolder? in
            state.forgetAll()
            guard state.folder != nil else { return nil }
            state.removalCount += 1
            return state.folder
        }
        guard let folder else { return }
        let isQueued = Self.thread.enqueue { [state] in
            let areGone = folder.removeAll(includingFolder: false)
            state.withLock { state in
                state.removalCount -= 1
                // What cannot be removed must not be read.
                if !areGone { state.folder = nil }
            }
        }
        guard !isQueued else { return }
        state.withLock { state in
            state.removalCount -= 1
            state.folder = nil
        }
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
        let (found, folder, changeCount) = state.withLock { state -> ([CachedResponse]?, CacheFolder?, Int) in
            if let found = state.memory[location] { return (found, nil, 0) }
            let isReadable = state.pending[location] == nil && state.removalCount == 0
            return (nil, isReadable ? state.folder : nil, state.changeCount)
        }
        if let found { return found }
        guard let folder else { return [] }
        let now = now()
        // One of the future was stored by a process whose clock was ahead. Its age is unknown.
        let read = folder.read(location).filter { $0.entry.requestTime <= now }
        return state.withLock { state in
            // Otherwise it may have been removed or replaced while it was read.
            guard state.changeCount == changeCount, state.removalCount == 0 else { return [] }
            if !read.isEmpty { state.memory[location] = read }
            return read
        }
    }

    /// Stores a response in place of the one with the same variant.
    func store(_ response: CachedResponse, at location: CacheLocation, _ visit: Visit) {
        let size = response.byteCount
        let variant = response.entry.variant
        change(location) { state in
            guard visit == Visit(epoch: state.epoch, invalidationCount: state.invalidationCount) else {
                return nil
            }
            state.memory.store(response, at: location, maximumVariantCount: CacheFolder.maximumVariantCount)
            // What is there is older than the response that is not written.
            guard state.pendingByteCount <= Self.maximumPendingByteCount - size else {
                return Job { $0.remove(location, variants: [variant]) }
            }
            return Job(byteCount: size) { $0.store(response, at: location, now: self.now()) }
        }
    }

    /// Removes stored responses of a location.
    func remove(_ variants: [VariantKey], at location: CacheLocation) {
        change(location) { state in
            let rest = state.memory[location]?.filter { !variants.contains($0.entry.variant) }
            state.memory[location] = rest
            return Job { $0.remove(location, variants: variants) }
        }
    }

    /// Removes all stored responses of locations that are out of date, and lets no response be stored that is being
    /// received now.
    func invalidate(_ locations: [CacheLocation]) {
        state.withLock { $0.invalidationCount += 1 }
        for location in locations {
            change(location) { state in
                state.memory[location] = nil
                return Job { $0.remove(location) }
            }
        }
    }

    /// A change of the files.
    private struct Job: Sendable {
        /// The size of what it writes in bytes.
        var byteCount = 0
        let body: @Sendable (CacheFolder) -> Void
    }

    /// Changes what is in memory, and then the files of a location.
    ///
    /// - Parameters:
    ///   - location: The location.
    ///   - body: Changes the memory, and returns the change of the files; `nil` if nothing is changed.
    private func change(_ location: CacheLocation, _ body: (inout State) -> Job?) {
        let work = state.withLock { state -> (job: Job, folder: CacheFolder)? in
            guard let job = body(&state) else { return nil }
            state.changeCount += 1
            guard let folder = state.folder else { return nil }
            state.pending[location, default: 0] += 1
            state.pendingByteCount += job.byteCount
            return (job, folder)
        }
        guard let work else { return }
        let isQueued = Self.thread.enqueue { [state] in
            work.job.body(work.folder)
            state.withLock { $0.end(work.job, at: location) }
        }
        guard !isQueued else { return }
        state.withLock { state in
            state.end(work.job, at: location)
            // Without a thread the files cannot follow any more, and must not be read.
            state.folder = nil
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
    /// Uses the folder of a session's key from now on, or memory only if that is not possible: a cache that cannot be
    /// used is no reason for a login to fail.
    func open(with key: SessionKey) async {
        guard !state.withLock({ $0.isOpen(with: key) }) else { return }
        let limit = configuration.disk.bytes
        guard let keys = try? CacheCipherKeys(from: key.bytes) else { return }
        var folder: CacheFolder?
        if limit > 0, let path = try? path(keys) {
            let opened = try? await Self.run {
                try? CacheFolder(path, keys: keys, maximumByteCount: limit, isCreated: true)
            }
            folder = opened ?? nil
        }
        state.withLock { [folder] state in
            state.forgetAll()
            state.keys = keys
            state.key = key
            state.folder = folder
        }
    }

    /// Removes everything, and stores nothing that is being received now.
    ///
    /// - Parameter key: The key whose folder is removed as well; `nil` to keep the folder.
    /// - Throws: ``ClientError/storage``, ``ClientError/outOfMemory``, ``ClientError/cancelled``.
    func removeAll(andFolderOf key: SessionKey? = nil) async throws(ClientError) {
        let old = state.withLock { state -> CacheFolder? in
            state.forgetAll()
            state.removalCount += 1
            defer {
                if key != nil { (state.folder, state.key) = (nil, nil) }
            }
            return state.folder
        }
        defer { state.withLock { $0.removalCount -= 1 } }
        let limit = max(1, configuration.disk.bytes)
        var folders: [CacheFolder] = old.map { [$0] } ?? []
        if let key {
            let keys = try CacheCipherKeys(from: key.bytes)
            let path = try path(keys)
            // Another process may have stored responses there, or a login of before this one.
            let other = try? CacheFolder(path, keys: keys, maximumByteCount: limit, isCreated: false)
            if let other { folders.append(other) }
        }
        let areGone = try await Self.run { [folders] in
            folders.reduce(true) { $1.removeAll(includingFolder: key != nil) && $0 }
        }
        guard areGone else { throw .storage("cannot remove all stored responses") }
    }

    /// Removes the stored responses of locations.
    func removeAll(at locations: [CacheLocation]) async throws(ClientError) {
        invalidate(locations)
        try await flush()
    }

    /// Waits until all files are written.
    func flush() async throws(ClientError) { try await Self.run {} }

    /// The size of what is stored, in bytes.
    func sizes() async throws(ClientError) -> (memory: Int, disk: Int) {
        let (memory, folder) = state.withLock { ($0.memory.byteCount, $0.folder) }
        return (memory, try await Self.run { folder?.measure() ?? 0 })
    }

    private func path(_ keys: CacheCipherKeys) throws(ClientError) -> String {
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
