// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKit
@testable import CredKitClient
import HTTPTypes

extension FuzzTarget {
    /// Feeds the lines of Cache-Control to its parser, beside one written anew and the parser of structured fields.
    static let cacheControl = FuzzTarget("cache-control") { bytes in
        var input = FuzzInput(bytes)
        var fields = HTTPFields()
        while !input.rest.isEmpty, fields.count < 4 {
            guard let line = String(input: input.line()) else { return }
            fields.append(HTTPField(name: .cacheControl, value: line))
        }
        // HTTPField may have replaced bytes.
        let lines = fields.map { Array($0.value.utf8) }
        let control = CacheControl(response: fields)
        try CacheControlProperties.checkGrammar(control, lines)
        try CacheControlProperties.checkRestrictions(control, lines)
        try CacheControlProperties.checkLines(control, fields)
        if lines.count == 1 { try CacheControlProperties.checkStructured(control, lines[0]) }
        try CacheControlProperties.checkRules(control, fields)
    }
}

private enum CacheControlProperties {
    private typealias Reference = ReferenceCacheControl

    static func checkGrammar(_ control: CacheControl, _ lines: [[UInt8]]) throws {
        let parsed = lines.map { Reference.parse($0) }
        try requireEqual(control.isMalformed, parsed.contains(nil), "both parsers know the grammar")
        guard !control.isMalformed else { return }
        var directives: [[UInt8]: Reference.Arguments] = [:]
        for line in parsed { directives.merge(line ?? [:], uniquingKeysWith: +) }
        func has(_ name: String) -> Bool { directives[Array(name.utf8)] != nil }
        let flags = [
            ("no-store", control.isNoStore), ("must-revalidate", control.isMustRevalidate),
            ("public", control.isPublic), ("private", control.isPrivate), ("immutable", control.isImmutable),
            ("must-understand", control.isMustUnderstand), ("only-if-cached", control.isOnlyIfCached),
        ]
        for (name, flag) in flags { try requireEqual(flag, has(name), "both parsers find \(name)") }
        let numbers = [
            ("max-age", control.maxAge), ("min-fresh", control.minFresh),
            ("stale-while-revalidate", control.staleWhileRevalidate),
            ("stale-if-error", control.staleIfError),
        ]
        for (name, value) in numbers {
            try requireEqual(value, seconds(directives[Array(name.utf8)]), "both parsers read \(name)")
        }
        let names = (directives[Array("no-cache".utf8)] ?? []).map(fieldNames)
        try requireEqual(control.isNoCache, names.contains(nil), "both parsers find no-cache")
        try requireEqual(
            Set(control.noCacheFields.map { Array($0.utf8) }),
            Set(names.flatMap { $0 ?? [] }),
            "both parsers find the fields of no-cache"
        )
    }

    private static func seconds(_ arguments: Reference.Arguments?) -> CacheControl.Seconds {
        guard let arguments else { return .absent }
        let values = Set(arguments.map { $0.flatMap(number) })
        guard values.count == 1, let first = values.first, let value = first else { return .malformed }
        return .value(value)
    }

    private static func number(_ digits: [UInt8]) -> Int64? {
        guard !digits.isEmpty, digits.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
        let limit: Int64 = 1 << 31
        return digits.reduce(0) { min($0 * 10 + Int64($1) - 0x30, limit) }
    }

    /// The names in the argument of no-cache; `nil` if it holds for the whole response.
    private static func fieldNames(_ argument: [UInt8]?) -> [[UInt8]]? {
        guard let argument else { return nil }
        let needed = "cache-control vary date expires age etag last-modified content-encoding"
            .split(separator: " ").map { Array($0.utf8) }
        // Without quotes and equals signs, a list of names is a list of directives.
        guard !argument.contains(UInt8(ascii: "=")), let list = Reference.parse(argument), !list.isEmpty,
            needed.allSatisfy({ list[$0] == nil })
        else { return nil }
        return Array(list.keys)
    }

    /// What breaks the grammar must not hide what the server forbids.
    static func checkRestrictions(_ control: CacheControl, _ lines: [[UInt8]]) throws {
        let names = lines.reduce(into: Set<[UInt8]>()) { $0.formUnion(Reference.names($1)) }
        let found = [
            ("no-store", control.isNoStore), ("must-revalidate", control.isMustRevalidate),
            ("no-cache", control.isNoCache || !control.noCacheFields.isEmpty),
        ]
        for (name, isFound) in found where names.contains(Array(name.utf8)) {
            try require(isFound, "nothing hides \(name)")
        }
    }

    /// Lines are a list together, and an open quote does not reach into the next line.
    static func checkLines(_ control: CacheControl, _ fields: HTTPFields) throws {
        let each = fields.map { CacheControl(response: HTTPFields([$0])) }
        try requireEqual(control.isNoStore, each.contains { $0.isNoStore }, "each line counts: no-store")
        try requireEqual(control.isNoCache, each.contains { $0.isNoCache }, "each line counts: no-cache")
        try requireEqual(control.isMalformed, each.contains { $0.isMalformed }, "each line counts: malformed")
        guard !control.isMalformed, !fields.isEmpty else { return }
        let line = fields.map(\.value).joined(separator: ",")
        let joined = CacheControl(response: [.cacheControl: line])
        try requireEqual(joined, control, "joined lines mean the same")
    }

    /// Where the strict parser of structured fields finds a restriction or a number, it is found, or the list is stale.
    static func checkStructured(_ control: CacheControl, _ line: [UInt8]) throws {
        guard let fields = try? StructuredField.Dictionary(parsing: line) else { return }
        if fields["no-store"] == true { try require(control.isNoStore, "a structured no-store holds") }
        if fields["no-cache"] == true { try require(control.isNoCache, "a structured no-cache holds") }
        if case .integer(let seconds)? = fields["max-age"]?.bareItem, case .value(let value) = control.maxAge
        {
            try requireEqual(value, min(seconds, 1 << 31), "a structured max-age is the same")
        }
    }

    private static let rules = CacheRules(digest: { $0 })
    private static let url = Result { try HTTPURL("https://s.example/x") }

    /// What is forbidden is neither stored nor used.
    static func checkRules(_ control: CacheControl, _ fields: HTTPFields) throws {
        var head = HTTPResponse(status: .ok, headerFields: fields)
        head.headerFields[.eTag] = "\"x\""
        let request = CacheRequest(method: .get, url: try url.get(), headers: [:])
        let now = UnixTime(1_700_000_000)
        let entry = rules.entry(of: head, to: request, times: ExchangeTimes(request: now, response: now))
        guard let entry else { return }
        try require(!control.isNoStore || control.isMustUnderstand, "no-store is not stored")
        for wait in [Int64(0), 1, 100, 1 << 40] {
            guard case .use = rules.decide(request, stored: [entry], at: UnixTime(1_700_000_000 + wait))
            else {
                continue
            }
            try require(!control.isNoCache, "no-cache is not used unasked")
            let limit = (control.maxAge.value ?? 0) + (control.staleWhileRevalidate.value ?? 0)
            try require(wait < limit, "nothing is used after its lifetime: \(wait)")
            try require(
                !control.isMalformed || control.staleWhileRevalidate.value != nil,
                "a malformed list is stale"
            )
        }
    }
}
