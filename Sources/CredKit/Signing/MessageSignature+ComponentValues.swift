// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature {
    /// The values of the components of a message. It keeps what several of them have in common, and counts their bytes.
    struct ComponentValues {
        /// How many bytes of values may follow.
        private var remainingByteCount = maximumValueByteCount
        private var query: QueryParameters?
        /// The dictionaries of which a member was covered, by the name of the field.
        private var dictionaries: [String: StructuredField.Dictionary] = [:]
        private var dictionariesOfRequest: [String: StructuredField.Dictionary] = [:]

        /// Appends the value of a component of a request.
        mutating func append(
            _ component: Component,
            of request: Request,
            to base: inout [UInt8]
        ) throws(Error) {
            guard !component.has("req") else {
                throw .invalidComponent(component.name, "'req' is only for responses")
            }
            try appendOfRequest(component, request, to: &base)
        }

        /// Appends the value of a component of a response, or of the request that it answers.
        mutating func append(
            _ component: Component,
            of response: Response,
            to base: inout [UInt8]
        ) throws(Error) {
            if component.has("req") {
                guard let request = response.request else { throw .missingComponent(component.name) }
                try appendOfRequest(component, request, to: &base)
            } else if !component.isDerived {
                try appendField(component, response.fields, to: &base)
            } else if component.derived == .status {
                guard 100...999 ~= response.status else {
                    throw .invalidValue(component.name, "it is not a status code")
                }
                try append(String(response.status).utf8, component, to: &base)
            } else {
                throw .invalidComponent(component.name, "a response has it only with 'req'")
            }
        }

        private mutating func appendOfRequest(
            _ component: Component,
            _ request: Request,
            to base: inout [UInt8]
        ) throws(Error) {
            switch component.derived {
            case .targetURI, .requestTarget, .path:
                guard request.hasDistinctParts else {
                    throw .invalidValue(component.name, "these are not the parts of a URL")
                }
            default: break
            }
            switch component.derived {
            case .method: try appendSome(request.method.utf8, component, to: &base)
            case .targetURI: try appendSome(request.targetURI.utf8, component, to: &base)
            case .authority: try appendSome(request.normalizedAuthority.utf8, component, to: &base)
            case .scheme: try appendSome(request.scheme.utf8.map(lowercased), component, to: &base)
            case .requestTarget: try appendSome(request.requestTarget.utf8, component, to: &base)
            case .path: try append(request.normalizedPath.utf8, component, to: &base)
            case .query:
                base.append(UInt8(ascii: "?"))
                try append((request.query ?? "").utf8, component, to: &base)
            case .queryParameter: try appendQueryParameter(component, request.query ?? "", to: &base)
            case nil: try appendField(component, request.fields, to: &base)
            case .status: throw .invalidComponent(component.name, "a request does not have it")
            }
        }

        private mutating func appendQueryParameter(
            _ component: Component,
            _ text: String,
            to base: inout [UInt8]
        ) throws(Error) {
            if query == nil {
                try spend(text.utf8.count)
                query = QueryParameters(text)
            }
            guard query?.hasValidNames == true else {
                throw .invalidValue(component.name, "the name of a parameter is not UTF-8")
            }
            guard case .string(let name)? = component.parameters["name"], let value = query?[name.utf8] else {
                throw .missingComponent(component.name)
            }
            switch value {
            case .encoded(let value): try append(value, component, to: &base)
            case .repeated: throw .invalidValue(component.name, "the parameter occurs more than once")
            case .notUTF8: throw .invalidValue(component.name, "it is not UTF-8")
            }
        }

        private mutating func appendField(
            _ component: Component,
            _ fields: [Field],
            to base: inout [UInt8]
        ) throws(Error) {
            // The common case needs no further array.
            if component.parameters.isEmpty, let index = Self.onlyIndex(of: component.name, fields) {
                let field = fields.span[index]
                try spend(field.value.count)
                guard let range = field.rangeWithoutWhitespace else {
                    return try append(field.normalizedValue, component, to: &base)
                }
                return try append(field.value.span.extracting(range), component, to: &base)
            }
            var lines: [[UInt8]] = []
            for field in fields where field.isNamed(component.name) {
                try spend(field.value.count)
                lines.append(field.normalizedValue)
            }
            guard !lines.isEmpty else { throw .missingComponent(component.name) }
            if component.has("bs") {
                let sequences = lines.map { ":\(Base64.standard.encode($0)):" }
                try append(sequences.joined(separator: ", ").utf8, component, to: &base)
                return
            }
            // The commas in cookies make the joined value ambiguous (RFC 9421 §7.5.6).
            guard lines.count == 1 || component.name != "set-cookie" else {
                throw .invalidValue(component.name, "several cookies need the parameter 'bs'")
            }
            let joined = Array(lines.joined(separator: [UInt8(ascii: ","), UInt8(ascii: " ")]))
            let value =
                try component.has("req")
                ? component.structuredValue(of: joined, &dictionariesOfRequest)
                : component.structuredValue(of: joined, &dictionaries)
            try append(value ?? joined, component, to: &base)
        }

        /// Returns the index of the field with a name; `nil` if there is none, or more than one.
        private static func onlyIndex(of name: String, _ fields: [Field]) -> Int? {
            let span = fields.span
            var found: Int?
            for index in span.indices where span[index].isNamed(name) {
                guard found == nil else { return nil }
                found = index
            }
            return found
        }

        private mutating func appendSome(
            _ value: some Collection<UInt8>,
            _ component: Component,
            to base: inout [UInt8]
        ) throws(Error) {
            guard !value.isEmpty else { throw .missingComponent(component.name) }
            try append(value, component, to: &base)
        }

        /// Appends a value. A line break in it would let a peer choose how the base continues; other bytes that fields
        /// cannot contain, and those that are not ASCII, are rejected with it.
        private mutating func append(
            _ value: some Collection<UInt8>,
            _ component: Component,
            to base: inout [UInt8]
        ) throws(Error) {
            try value.withContiguousSpan { value throws(Error) in try append(value, component, to: &base) }
        }

        private mutating func append(
            _ value: Span<UInt8>,
            _ component: Component,
            to base: inout [UInt8]
        ) throws(Error) {
            try spend(value.count)
            guard Self.isPrintable(value) else {
                throw .invalidValue(component.name, "it is not printable ASCII")
            }
            base.append(value)
        }

        /// Returns whether all bytes are printable ASCII or tabs. The loop has no branches, so that it takes several bytes
        /// at once.
        private static func isPrintable(_ value: Span<UInt8>) -> Bool {
            var found: UInt8 = 0
            for index in value.indices {
                let byte = value[index]
                // Control characters wrap around to large numbers.
                found |= (byte &- 0x20 > 0x7E - 0x20 ? 1 : 0) & (byte == 0x09 ? 0 : 1)
            }
            return found == 0
        }

        private mutating func spend(_ byteCount: Int) throws(Error) {
            guard byteCount <= remainingByteCount else { throw .limitExceeded("the values of components") }
            remainingByteCount -= byteCount
        }
    }

    static func lowercased(_ byte: UInt8) -> UInt8 {
        UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
    }
}
