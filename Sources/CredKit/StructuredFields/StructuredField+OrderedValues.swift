// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension StructuredField {
    /// Values with keys, in order: a ``Dictionary`` or ``Parameters``.
    ///
    /// Each key occurs once. Setting the value of an existing key keeps its position, a new key is appended. Keys are
    /// compared by bytes. Two collections are equal if they have the same keys and values in the same order.
    public struct OrderedValues<Value: Hashable & Sendable>: Hashable, Sendable, RandomAccessCollection,
        ExpressibleByDictionaryLiteral
    {
        /// Up to this number of entries, comparing all keys is faster than an index.
        private static var countWithoutIndex: Int { 16 }

        struct Entry: Hashable, Sendable {
            let key: String
            var value: Value
        }

        private var entries: [Entry] = []

        /// The positions of keys, so that a text with many keys is parsed in linear time. `nil` for few entries.
        private var index: [[UInt8]: Int]?

        /// Creates an empty collection.
        public init() {}

        /// Creates a collection. The last value of a repeated key replaces the ones before.
        ///
        /// - Parameter elements: Keys with values, in order.
        public init(dictionaryLiteral elements: (String, Value)...) {
            for (key, value) in elements { self[key] = value }
        }

        /// The value of a key; `nil` if the key is missing. Setting it to `nil` removes the key.
        ///
        /// - Parameter key: Lower-case letters, digits and `_-.*`, beginning with a letter or `*`. Other keys cannot be
        ///   serialized.
        public subscript(key: String) -> Value? {
            get { position(of: key).map { entries[$0].value } }
            set {
                if let newValue {
                    _ = set(key, newValue)
                } else if let position = position(of: key) {
                    remove(at: position)
                }
            }
        }

        /// The keys, in order.
        public var keys: [String] { entries.map(\.key) }

        /// The position of the first entry, 0.
        public var startIndex: Int { 0 }

        /// The position after the last entry.
        public var endIndex: Int { entries.count }

        /// Returns the entry at a position.
        ///
        /// - Parameter position: From 0 to less than `count`; others are a programming error and stop the process.
        public subscript(position: Int) -> (key: String, value: Value) {
            (entries[position].key, entries[position].value)
        }

        /// Returns whether two collections have the same keys and values in the same order.
        public static func == (left: Self, right: Self) -> Bool {
            left.elementsEqual(right) { $0.key.hasBytes(of: $1.key) && $0.value == $1.value }
        }

        /// Feeds the keys and values to a hasher.
        ///
        /// - Parameter hasher: The hasher.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(entries.count)
            for entry in entries {
                hasher.combine(entry.key)
                hasher.combine(entry.value)
            }
        }

        /// Calls `body` with the entries in place. Iterating copies each of them, which costs more than most uses of one.
        func withEntries<Result, Failure: Error>(
            _ body: (Span<Entry>) throws(Failure) -> Result
        ) throws(Failure) -> Result {
            try body(entries.span)
        }

        /// Returns the entries, of which each can be moved out.
        consuming func takeEntries() -> [Entry] { entries }

        /// Sets a value, and returns whether the key is new.
        mutating func set(_ key: String, _ value: consuming Value) -> Bool {
            guard let position = position(of: key) else {
                append(key, consume value)
                return true
            }
            entries[position].value = value
            return false
        }

        private func position(of key: String) -> Int? {
            guard entries.count <= Self.countWithoutIndex else { return index?[Array(key.utf8)] }
            // In place: copying an entry costs more than comparing its key.
            let entries = entries.span
            for position in entries.indices where entries[position].key.hasBytes(of: key) { return position }
            return nil
        }

        private mutating func append(_ key: String, _ value: consuming Value) {
            if entries.isEmpty { entries.reserveCapacity(4) }
            entries.append(Entry(key: key, value: consume value))
            if entries.count == Self.countWithoutIndex + 1 {
                makeIndex()
            } else if entries.count > Self.countWithoutIndex {
                index?[Array(key.utf8)] = entries.count - 1
            }
        }

        private mutating func remove(at position: Int) {
            entries.remove(at: position)
            index = nil
            if entries.count > Self.countWithoutIndex { makeIndex() }
        }

        private mutating func makeIndex() {
            var index: [[UInt8]: Int] = [:]
            for (position, entry) in entries.enumerated() { index[Array(entry.key.utf8)] = position }
            self.index = index
        }
    }
}
