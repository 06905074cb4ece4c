// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import CredKitSystem
internal import Glibc

/// The files of one account's stored responses, each encrypted as `CacheFile` describes.
///
/// The name of a file is a keyed hash of the location and a number: a location has up to 8 files, for the variants that
/// the server distinguishes. A file that cannot be used is removed. There is no journal and no fsync: what is lost is
/// asked for again. Other processes may use the folder at the same time.
final class CacheFolder: Sendable {
    static let maximumVariantCount = 8
    private static let temporaryPrefix = ".new-"
    /// How long a file may have been written for, in seconds.
    private static let temporaryLifetime = 600

    /// Open from the beginning: in a folder that was removed meanwhile, nothing can be created.
    private let directory: PrivateDirectory
    private let keys: CacheCipherKeys
    private let maximumByteCount: Int
    /// The size of the largest file in bytes.
    private let maximumFileByteCount: Int
    /// The size of all files in bytes, as far as this process knows; `nil` until it has counted them.
    private let usage = Lock<Int?>(nil)

    init(_ path: String, keys: CacheCipherKeys, maximumByteCount: Int, isCreated: Bool) throws(SystemError) {
        directory = try PrivateDirectory(path, isCreated: isCreated)
        self.keys = keys
        self.maximumByteCount = maximumByteCount
        maximumFileByteCount = min(maximumByteCount / 20, 1 << 30)
    }

    /// Returns the stored responses of a location.
    func read(_ location: CacheLocation) -> [CachedResponse] { files(of: location).map(\.response) }

    private func files(of location: CacheLocation) -> [(name: String, response: CachedResponse)] {
        var files: [(String, CachedResponse)] = []
        for number in 0..<Self.maximumVariantCount {
            let name = name(of: location, number)
            guard let response = read(file: name, of: location.url) else { continue }
            files.append((name, response))
            // The server distinguishes no variants.
            if number == 0, response.entry.variant.fields.isEmpty { break }
        }
        return files
    }

    private func name(of location: CacheLocation, _ number: Int) -> String {
        keys.name(location.bytes(number: UInt8(truncatingIfNeeded: number)))
    }

    private func read(file name: String, of url: HTTPURL) -> CachedResponse? {
        var opener: AESGCM.Opener?
        // A file that is too long is not authentic without its end.
        let bytes = try? directory.contents(of: name, limit: maximumFileByteCount + 1) {
            opener = AESGCM.Opener(key: keys.content)
        }
        // Without memory the file stays.
        guard let bytes, let opener else { return nil }
        let response = CacheFile.open(bytes, name: name, with: opener, expecting: url)
        if response == nil { directory.remove(name) }
        return response
    }

    /// Stores a response in place of the one with the same variant, or of the oldest one.
    func store(_ response: CachedResponse, at location: CacheLocation, now: UnixTime) {
        let variant = response.entry.variant
        let old = files(of: location)
        // One of the future was stored by a process whose clock was ahead.
        let isReplaced = old.contains { file in
            file.response.isNewer(than: response) && file.response.entry.requestTime <= now
        }
        guard !isReplaced else { return }
        var name = name(of: location, 0)
        if !variant.fields.isEmpty {
            let names = (0..<Self.maximumVariantCount).map { self.name(of: location, $0) }
            let taken = Set(old.map(\.name))
            let oldest = old.min { $0.response.entry.responseTime < $1.response.entry.responseTime }
            name =
                old.first { $0.response.entry.variant == variant }?.name
                ?? names.first { !taken.contains($0) } ?? oldest?.name ?? name
        }
        // A response without variants answers every request, and stands in the first file.
        for file in old
        where file.name != name && (variant.fields.isEmpty || file.response.entry.variant.fields.isEmpty) {
            directory.remove(file.name)
        }
        write(response, to: name)
    }

    private func write(_ response: CachedResponse, to name: String) {
        guard let bytes = CacheFile.seal(response, name: name, key: keys.content) else { return }
        guard bytes.count <= maximumFileByteCount else { return directory.remove(name) }
        let temporaryName = Self.temporaryPrefix + Hex.encode(SecureRandom.bytes(count: 8))
        do throws(SystemError) {
            try directory.create(temporaryName, "").writeAll(bytes, "")
        } catch {
            // The disk is full, or the folder is gone.
            return directory.remove(temporaryName)
        }
        guard directory.rename(temporaryName, to: name) == 0 else { return directory.remove(temporaryName) }
        let size = usage.withLock { usage in
            usage = usage.map { $0 + bytes.count }
            return usage
        }
        if size.map({ $0 > maximumByteCount }) ?? true { makeRoom() }
    }

    /// Removes responses of a location: those of some variants, or all.
    func remove(_ location: CacheLocation, variants: [VariantKey]? = nil) {
        guard let variants else {
            for number in 0..<Self.maximumVariantCount { directory.remove(name(of: location, number)) }
            return
        }
        for file in files(of: location) where variants.contains(file.response.entry.variant) {
            directory.remove(file.name)
        }
    }

    /// Counts the files anew, because other processes write, too. If they take too much, removes the oldest
    /// written first; `CacheMemory.makeRoom` removes the least recently used first.
    private func makeRoom() {
        guard let names = try? directory.names() else { return }
        var files: [(name: String, size: Int, time: Int)] = []
        var sum = 0
        let now = time(nil)
        for name in names where name != "." && name != ".." {
            guard let status = directory.status(of: name) else { continue }
            if name.hasPrefix(Self.temporaryPrefix), now - status.st_mtim.tv_sec > Self.temporaryLifetime {
                directory.remove(name)
                continue
            }
            // A sparse file of another origin may have any size.
            let size = min(Int(status.st_size), 1 << 40)
            files.append((name, size, status.st_mtim.tv_sec))
            sum += size
        }
        if sum > maximumByteCount {
            files.sort { $0.time < $1.time }
            for file in files where sum > maximumByteCount / 4 * 3 {
                directory.remove(file.name)
                sum -= file.size
            }
        }
        usage.withLock { [sum] in $0 = sum }
    }

    /// Counts the files anew, and removes what takes too much.
    ///
    /// - Returns: The size of all files in bytes.
    func measure() -> Int {
        makeRoom()
        return usage.withLock { $0 ?? 0 }
    }

    /// Removes all files.
    ///
    /// - Parameter includingFolder: Whether to remove the folder, too.
    /// - Returns: Whether they are gone.
    func removeAll(includingFolder: Bool) -> Bool {
        usage.withLock { $0 = nil }
        // Another process may write between listing and removing.
        for _ in 0..<10 {
            let names = ((try? directory.names()) ?? []).filter { $0 != "." && $0 != ".." }
            for name in names { directory.remove(name) }
            guard includingFolder else { return !names.contains { directory.contains($0) } }
            if unsafe rmdir(directory.path) == 0 || errno == ENOENT { return true }
        }
        return false
    }
}
