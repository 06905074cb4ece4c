// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The directives of `Cache-Control`, RFC 9111 section 5.2, with those of RFC 5861 and RFC 8246.
///
/// Unknown directives are ignored, and so are those for shared caches.
struct CacheControl: Sendable, Equatable {
    private(set) var maxAge = Seconds.absent
    private(set) var maxStale = Seconds.absent
    private(set) var minFresh = Seconds.absent
    private(set) var staleWhileRevalidate = Seconds.absent
    private(set) var staleIfError = Seconds.absent
    private(set) var isNoCache = false
    /// The lowercase names of fields that must not be used without validation.
    private(set) var noCacheFields: Set<String> = []
    private(set) var isNoStore = false
    private(set) var isOnlyIfCached = false
    private(set) var isMustRevalidate = false
    private(set) var isMustUnderstand = false
    private(set) var isPublic = false
    private(set) var isPrivate = false
    private(set) var isImmutable = false
    /// Whether the list breaks the grammar, so that the directives may mean something else.
    private(set) var isMalformed = false

    /// Whether the server leaves room for stale responses.
    var permitsStale: Bool { !isNoCache && !isMustRevalidate && !isMalformed }

    /// The seconds of a directive.
    enum Seconds: Sendable, Equatable {
        case absent
        /// Not a number, or several different ones.
        case malformed
        case value(Int64)

        /// The number; `nil` if there is none.
        var value: Int64? { if case .value(let seconds) = self { seconds } else { nil } }
    }

    /// Parses the directives of a response.
    init(response fields: HTTPFields) {
        guard fields.hasField(.cacheControl) else { return }
        let list = FieldList(fields[values: .cacheControl])
        isMalformed = list.hasOpenQuote
        for element in list.elements {
            let directive = CacheDirective(element)
            take(directive)
            if !directive.isWellFormed { takeRestrictions(of: element) }
        }
    }

    /// Parses the directives of a request. `Pragma: no-cache` counts where there is no `Cache-Control`, section
    /// 5.4.
    init(request fields: HTTPFields) {
        self.init(response: fields)
        if let pragma = Self.pragma, fields.hasField(pragma), !fields.hasField(.cacheControl) {
            isNoCache = FieldList(fields[values: pragma]).elements.contains {
                ASCIIText.lowercased($0) == "no-cache"
            }
        }
    }

    private static let pragma = HTTPField.Name("Pragma")

    /// Reads the restrictions in an element that breaks the grammar, such as `private; no-store`.
    private mutating func takeRestrictions(of element: Substring) {
        isMalformed = true
        // By bytes: a combining character after a name is part of the name's last character.
        for name in element.utf8.split(whereSeparator: { !FieldList.isTokenByte($0) }) {
            let directive = CacheDirective(Substring(name))
            if ["no-store", "no-cache", "must-revalidate"].contains(directive.name) { take(directive) }
        }
    }

    private mutating func take(_ directive: CacheDirective) {
        switch directive.name {
        case "max-age": merge(directive.argument, into: \.maxAge)
        case "max-stale":
            // Without an argument any staleness is accepted.
            merge(
                directive.argument == .missing ? .text("\(DeltaSeconds.maximum)") : directive.argument,
                into: \.maxStale
            )
        case "min-fresh": merge(directive.argument, into: \.minFresh)
        case "stale-while-revalidate": merge(directive.argument, into: \.staleWhileRevalidate)
        case "stale-if-error": merge(directive.argument, into: \.staleIfError)
        case "no-cache":
            if let names = Self.fieldNames(directive.argument) {
                noCacheFields.formUnion(names)
            } else {
                isNoCache = true
            }
        case "no-store": isNoStore = true
        case "only-if-cached": isOnlyIfCached = true
        case "must-revalidate": isMustRevalidate = true
        case "must-understand": isMustUnderstand = true
        case "public": isPublic = true
        case "private": isPrivate = true
        case "immutable": isImmutable = true
        default: break
        }
    }

    /// Repeated directives must agree. RFC 9111 section 4.2.1 permits to take the first or to count as stale;
    /// different ones are malformed here, which is stale.
    private mutating func merge(
        _ argument: CacheDirective.Argument,
        into path: WritableKeyPath<CacheControl, Seconds>
    ) {
        var seconds = Seconds.malformed
        if case .text(let text) = argument, let number = DeltaSeconds.parse(text) { seconds = .value(number) }
        self[keyPath: path] =
            self[keyPath: path] == .absent || self[keyPath: path] == seconds ? seconds : .malformed
    }

    /// Returns the field names of the qualified form of `no-cache`; `nil` for the form without names, which is
    /// stricter. Without the fields that the rules need nothing could be decided.
    private static func fieldNames(_ argument: CacheDirective.Argument) -> Set<String>? {
        guard case .text(let text) = argument else { return nil }
        let elements = FieldList([text]).elements
        guard !elements.isEmpty, elements.allSatisfy(FieldList.isToken) else { return nil }
        let names = Set(elements.map(ASCIIText.lowercased))
        return names.isDisjoint(with: StoredFields.indispensable) ? names : nil
    }
}
