// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// A tz database zone, read from its file ([RFC 8536](https://www.rfc-editor.org/rfc/rfc8536)).
///
/// The C library supports one zone per process, set by an environment variable that a library must not
/// change.
package struct ZoneFile: Sendable {
    private static let folder = "/usr/share/zoneinfo"
    private static let byteCountLimit = 1 << 20

    /// The changes of the offset: the time in seconds since 1970, and the offset from then on.
    private let transitions: [(time: Int64, offset: Int)]
    /// The offset before the first change.
    private let firstOffset: Int
    /// The rule after the last change.
    private let rule: ZoneRule?

    /// Reads the file of a zone.
    ///
    /// - Parameter name: A name such as `Asia/Shanghai`.
    package init?(named name: String) {
        let isName = name.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || 48...57 ~= byte
                || "/_+-".utf8.contains(byte)
        }
        // A name without dots cannot leave the folder.
        guard isName, !name.isEmpty, !name.hasPrefix("/"), let bytes = Self.read("\(Self.folder)/\(name)"),
            let zone = ZoneFile(bytes)
        else { return nil }
        self = zone
    }

    /// Parses the bytes of a zone file; `nil` if they are malformed.
    package init?(_ bytes: [UInt8]) {
        var reader = Reader(bytes: bytes)
        guard let old = reader.header() else { return nil }
        guard old.version >= UInt8(ascii: "2") else {
            self.init(reader: &reader, header: old, timeByteCount: 4)
            return
        }
        // Version 1 data come first, for programs that read nothing else.
        guard reader.skip(old.byteCount(timeByteCount: 4)), let header = reader.header() else { return nil }
        self.init(reader: &reader, header: header, timeByteCount: 8)
    }

    private init?(reader: inout Reader, header: Header, timeByteCount: Int) {
        var times: [Int64] = []
        for _ in 0..<header.timeCount {
            guard let time = reader.integer(timeByteCount) else { return nil }
            times.append(time)
        }
        guard let indices = reader.take(header.timeCount) else { return nil }
        var offsets: [Int] = []
        for _ in 0..<header.typeCount {
            guard let offset = reader.integer(4), reader.skip(2) else { return nil }
            offsets.append(Int(offset))
        }
        guard let first = offsets.first else { return nil }
        firstOffset = first
        var transitions: [(time: Int64, offset: Int)] = []
        for (time, index) in zip(times, indices) {
            guard Int(index) < offsets.count else { return nil }
            transitions.append((time, offsets[Int(index)]))
        }
        self.transitions = transitions
        let rest =
            header.characterCount + header.leapCount * (timeByteCount + 4) + header.standardCount
            + header.utCount
        guard reader.skip(rest) else { return nil }
        rule = timeByteCount == 8 ? reader.footer().flatMap { ZoneRule($0) } : nil
    }

    /// Returns how far the zone is ahead of UTC at a point in time, in seconds.
    package func utcOffset(at unixTime: Int64) -> Int {
        var (low, high) = (0, transitions.count)
        while low < high {
            let middle = (low + high) / 2
            if transitions[middle].time <= unixTime { low = middle + 1 } else { high = middle }
        }
        if low == transitions.count, let rule { return rule.utcOffset(at: unixTime) }
        return low == 0 ? firstOffset : transitions[low - 1].offset
    }

    private static func read(_ path: String) -> [UInt8]? {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while bytes.count < byteCountLimit {
            let step = unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
                count = max(0, unsafe Glibc.read(descriptor, buffer.baseAddress, buffer.count))
            }
            if step.isEmpty { return bytes }
            bytes += step
        }
        return nil
    }

    private struct Header {
        let version: UInt8
        let utCount, standardCount, leapCount, timeCount, typeCount, characterCount: Int

        func byteCount(timeByteCount: Int) -> Int {
            timeCount * (timeByteCount + 1) + typeCount * 6 + characterCount + leapCount * (timeByteCount + 4)
                + standardCount + utCount
        }
    }

    private struct Reader {
        let bytes: [UInt8]
        var position = 0

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= bytes.count - position else { return nil }
            defer { position += count }
            return bytes[position..<position + count]
        }

        mutating func skip(_ count: Int) -> Bool { take(count) != nil }

        mutating func integer(_ byteCount: Int) -> Int64? {
            guard let taken = take(byteCount) else { return nil }
            let unsigned = taken.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            return byteCount == 8 ? Int64(bitPattern: unsigned) : Int64(Int32(truncatingIfNeeded: unsigned))
        }

        mutating func header() -> Header? {
            guard take(4)?.elementsEqual("TZif".utf8) == true, let version = take(1)?.first, skip(15) else {
                return nil
            }
            var counts: [Int] = []
            for _ in 0..<6 {
                // No zone has that many, and sums of small numbers cannot overflow.
                guard let count = integer(4), (0...65_536).contains(count) else { return nil }
                counts.append(Int(count))
            }
            return Header(
                version: version,
                utCount: counts[0],
                standardCount: counts[1],
                leapCount: counts[2],
                timeCount: counts[3],
                typeCount: counts[4],
                characterCount: counts[5]
            )
        }

        /// Returns the text between the two line feeds after the data.
        mutating func footer() -> String? {
            guard take(1)?.first == UInt8(ascii: "\n"),
                let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n"))
            else { return nil }
            return String(decoding: bytes[position..<end], as: UTF8.self)
        }
    }
}
