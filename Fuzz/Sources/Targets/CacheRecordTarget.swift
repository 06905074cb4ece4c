// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitClient
import HTTPTypes

extension FuzzTarget {
    /// Feeds stored responses: any plaintext to their parser, and encrypted files that were changed.
    static let cacheRecords = FuzzTarget("cache-records") { bytes in
        var input = FuzzInput(bytes)
        if input.byte() & 1 == 0 {
            try CacheRecordProperties.checkPlaintext(input.remaining)
        } else {
            try CacheRecordProperties.checkFile(&input)
        }
    }
}

private enum CacheRecordProperties {
    private static let key = Result { try SecretBytes(Array(repeating: 7, count: 32)) }
    private static let name = "0123456789abcdef"

    static func checkPlaintext(_ bytes: [UInt8]) throws {
        guard let response = CacheRecord.decode(bytes) else { return }
        try require(100...999 ~= response.entry.status.code, "a status has three digits")
        try requireEqual(
            response.entry.bodyLength,
            Int64(response.body.count),
            "the length is that of the body"
        )
        try require(response.entry.headers.count <= 1024, "the number of fields is limited")
        for field in response.entry.headers {
            try require(!field.value.utf8.contains { $0 == 0 || $0 == 10 || $0 == 13 }, "a value is one line")
        }
        try checkWritten(response)
        try require(CacheRecord.decode(Array(bytes.dropLast())) == nil, "a torn record is malformed")
        try require(CacheRecord.decode(bytes + [0]) == nil, "nothing follows a record")
        try checkRules(response.entry)
    }

    private static func checkWritten(_ response: CachedResponse) throws {
        guard let copy = CacheRecord.decode(CacheRecord.encode(response)) else {
            throw PropertyFailure("a written record is read: \(response.entry)")
        }
        try requireEqual(copy.entry, response.entry, "a written record is the same")
        try requireEqual(copy.body, response.body, "a written body is the same")
    }

    /// Times and fields of a record are those of an earlier process, with another clock: any values.
    private static func checkRules(_ entry: CacheEntry) throws {
        let rules = CacheRules(digest: { Array($0.prefix(16)) })
        let request = CacheRequest(method: .get, url: entry.url, headers: [:])
        for now in [Int64.min, 0, 1_700_000_000, .max] {
            let freshness = Freshness(of: entry, at: UnixTime(now))
            try require(freshness.lifetime >= 0 && freshness.age ?? 0 >= 0, "ages are not negative")
            guard case .use = rules.decide(request, stored: [entry], at: UnixTime(now)) else { continue }
            try require(
                UnixTime(now) >= entry.responseTime && entry.responseTime >= entry.requestTime,
                "nothing of the future is used"
            )
        }
    }

    static func checkFile(_ input: inout FuzzInput) throws {
        let position = Int(input.byte()) << 8 | Int(input.byte())
        let (bits, kind) = (input.byte(), input.number(below: 4))
        let response = try response(&input)
        try checkWritten(response)
        let key = try key.get()
        guard let file = CacheFile.seal(response, name: name, key: key),
            let copy = open(file, name, key)
        else { throw PropertyFailure("an encrypted response is read") }
        try require(copy.entry == response.entry && copy.body == response.body, "a file is the same")
        var changed = file
        switch kind {
        case 0 where bits != 0: changed[position % file.count] ^= bits
        case 1: changed = Array(file.prefix(position % file.count))
        case 2: changed.append(bits)
        default:
            var other = Array(name.utf8)
            other[position % other.count] ^= 1
            let text = String(decoding: other, as: UTF8.self)
            let isFound = open(file, text, key) != nil
            return try require(!isFound, "a file with another name is not used")
        }
        let isFound = open(changed, name, key) != nil
        try require(!isFound, "a changed file is not used: \(kind), \(position % file.count)")
    }

    private static func open(_ file: [UInt8], _ name: String, _ key: SecretBytes) -> CachedResponse? {
        AESGCM.Opener(key: key).flatMap { CacheFile.open(file, name: name, with: $0) }
    }

    private static func response(_ input: inout FuzzInput) throws -> CachedResponse {
        let status = 100 + input.number(below: 250) * 3
        let time = Int64(input.byte()) << (input.byte() % 64)
        var headers = HTTPFields()
        while let first = input.rest.first, first != UInt8(ascii: "\n") {
            let parts = input.line().split(separator: UInt8(ascii: ":"), maxSplits: 1)
            guard parts.count == 2, let text = String(input: parts[0]), let name = HTTPField.Name(text) else {
                continue
            }
            headers.append(HTTPField(name: name, value: parts[1]))
        }
        _ = input.byte()
        let entry = CacheEntry(
            url: try HTTPURL("https://s.example/x?y"),
            status: HTTPResponse.Status(code: status),
            headers: headers,
            times: ExchangeTimes(request: UnixTime(time), response: UnixTime(0 &- time)),
            variant: VariantKey(
                fields: headers.prefix(2).map { .init(name: $0.name.canonicalName, digest: [1, 2]) }
            ),
            bodyLength: Int64(input.remaining.count)
        )
        return CachedResponse(entry: entry, body: input.remaining)
    }
}
