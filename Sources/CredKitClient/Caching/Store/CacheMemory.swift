// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The stored responses in memory. Those that were not used for the longest time make room for new ones.
struct CacheMemory: Sendable {
    private struct Place: Sendable {
        var responses: [CachedResponse]
        var byteCount: Int
        var lastUse: UInt64
    }

    private let maximumByteCount: Int
    private var places: [CacheLocation: Place] = [:]
    private var useCount: UInt64 = 0
    /// The memory that all take, about, in bytes.
    private(set) var byteCount = 0

    init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    /// The responses of a location; `nil` if there are none here.
    subscript(location: CacheLocation) -> [CachedResponse]? {
        mutating get {
            useCount += 1
            places[location]?.lastUse = useCount
            return places[location]?.responses
        }
        set {
            byteCount -= places.removeValue(forKey: location)?.byteCount ?? 0
            guard let newValue, !newValue.isEmpty else { return }
            let size = newValue.reduce(0) { $0 + $1.byteCount }
            // One location must not displace all others.
            guard size <= maximumByteCount / 8 else { return }
            useCount += 1
            places[location] = Place(responses: newValue, byteCount: size, lastUse: useCount)
            byteCount += size
            if byteCount > maximumByteCount { makeRoom() }
        }
    }

    /// Stores a response in place of the one with the same variant, or of the oldest one.
    mutating func store(_ response: CachedResponse, at location: CacheLocation, maximumVariantCount: Int) {
        let variant = response.entry.variant
        var responses = self[location] ?? []
        guard !responses.contains(where: { $0.isNewer(than: response) }) else { return }
        responses.removeAll {
            $0.entry.variant == variant || $0.entry.variant.fields.isEmpty || variant.fields.isEmpty
        }
        if responses.count == maximumVariantCount,
            let oldest = responses.indices.min(by: {
                responses[$0].entry.responseTime < responses[$1].entry.responseTime
            })
        {
            responses.remove(at: oldest)
        }
        self[location] = responses + [response]
    }

    mutating func removeAll() {
        places = [:]
        byteCount = 0
    }

    /// Removes the least recently used first, a quarter at once, so that it is rarely done; `CacheFolder.makeRoom`
    /// removes the oldest written first.
    private mutating func makeRoom() {
        for (location, place) in places.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            guard byteCount > maximumByteCount / 4 * 3 else { return }
            places[location] = nil
            byteCount -= place.byteCount
        }
    }
}
