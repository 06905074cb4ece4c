// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM.AuthenticationHeader {
    /// Parses the value of the header Authorization: one scheme with parameters.
    ///
    /// - Parameter text: The value.
    /// - Returns: The credentials. Those of other schemes, whose syntax is different, have no parameters: see ``mechanism``.
    /// - Throws: ``SCRAM/Error/malformedMessage``, ``SCRAM/Error/overLimit``. The error does not contain the text.
    public static func credentials(_ text: String) throws(SCRAM.Error) -> Self {
        let all = try challenges([text])
        guard all.count == 1 else { throw .malformedMessage("the header does not have one scheme") }
        return all[0]
    }

    /// Parses the values of the header WWW-Authenticate: a list of schemes, in one or several headers.
    ///
    /// - Parameter values: The values of all headers of that name.
    /// - Returns: The challenges, in their order, also those of other schemes.
    /// - Throws: ``SCRAM/Error/malformedMessage``, ``SCRAM/Error/overLimit``.
    public static func challenges(_ values: [String]) throws(SCRAM.Error) -> [Self] {
        var challenges: [Self] = []
        for value in values {
            var reader = try HeaderReader(value)
            challenges += try reader.challenges()
            guard challenges.count <= maximumCount else {
                throw .overLimit("the header has more than \(maximumCount) schemes")
            }
        }
        return challenges
    }

    /// Parses the value of the header Authentication-Info: parameters without a scheme.
    ///
    /// - Parameter text: The value.
    /// - Returns: The value.
    /// - Throws: ``SCRAM/Error/malformedMessage``, ``SCRAM/Error/overLimit``.
    public static func information(_ text: String) throws(SCRAM.Error) -> Self {
        var reader = try HeaderReader(text)
        let parameters = try reader.parameters()
        guard reader.isAtEnd else { throw .malformedMessage("a parameter of the header has no value") }
        return Self(parsedScheme: nil, parameters)
    }
}

/// Reads the syntax of RFC 9110, section 11: strictly, except that empty elements of a list are ignored as section 5.6.1
/// demands.
struct HeaderReader {
    typealias Parameter = SCRAM.AuthenticationHeader.Parameter

    private var rest: ArraySlice<UInt8>

    init(_ text: String) throws(SCRAM.Error) {
        let limit = SCRAM.AuthenticationHeader.maximumByteCount
        guard text.utf8.count <= limit else { throw .overLimit("the header is longer than \(limit) bytes") }
        rest = Array(text.utf8)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "a")...UInt8(ascii: "z"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Whether a quoted string can contain a byte, perhaps escaped.
    static func isTextByte(_ byte: UInt8) -> Bool { byte == 9 || byte >= 0x20 && byte != 0x7F }

    /// Whether two tokens are equal but for their case.
    static func isEqual(_ left: String, _ right: String) -> Bool {
        func folded(_ byte: UInt8) -> UInt8 {
            UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte ? byte | 0x20 : byte
        }
        return left.utf8.elementsEqual(right.utf8) { folded($0) == folded($1) }
    }

    /// Throws if there are too many parameters, or two with the same name: programs disagree which of them counts.
    static func checkNames(of parameters: [Parameter]) throws(SCRAM.Error) {
        guard parameters.count <= SCRAM.AuthenticationHeader.maximumCount else {
            throw .overLimit("the header has more than \(SCRAM.AuthenticationHeader.maximumCount) parameters")
        }
        for (index, parameter) in parameters.enumerated()
        where parameters[..<index].contains(where: { isEqual($0.name, parameter.name) }) {
            throw .malformedMessage("a parameter of the header occurs twice")
        }
    }

    mutating func challenges() throws(SCRAM.Error) -> [SCRAM.AuthenticationHeader] {
        var challenges: [SCRAM.AuthenticationHeader] = []
        skipEmptyElements()
        while !rest.isEmpty {
            let scheme = try token()
            var parameters: [Parameter] = []
            if rest.first == UInt8(ascii: " ") {
                skipSpace()
                if isAtToken68 {
                    rest = rest.drop { $0 != UInt8(ascii: ",") }
                } else if !rest.isEmpty, rest.first != UInt8(ascii: ",") {
                    parameters = try self.parameters()
                }
            }
            // After parameters this has been checked.
            if parameters.isEmpty { try endElement() }
            challenges.append(.init(parsedScheme: scheme, parameters))
            guard challenges.count <= SCRAM.AuthenticationHeader.maximumCount else {
                throw .overLimit("the header has too many schemes")
            }
        }
        return challenges
    }

    /// Reads parameters up to the end, or to the next scheme of the list.
    mutating func parameters() throws(SCRAM.Error) -> [Parameter] {
        var parameters: [Parameter] = []
        skipEmptyElements()
        while !rest.isEmpty {
            let start = rest
            let name = try token()
            skipSpace()
            guard rest.first == UInt8(ascii: "=") else {
                guard !parameters.isEmpty else {
                    throw .malformedMessage("a parameter of the header has no value")
                }
                rest = start
                break
            }
            rest.removeFirst()
            skipSpace()
            parameters.append(Parameter(name, try value()))
            try Self.checkNames(of: parameters)
            try endElement()
        }
        return parameters
    }

    private mutating func value() throws(SCRAM.Error) -> String {
        guard rest.first == UInt8(ascii: "\"") else { return try token() }
        rest.removeFirst()
        var bytes: [UInt8] = []
        while var byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
            if byte == UInt8(ascii: "\\") {
                guard let escaped = rest.popFirst() else { break }
                byte = escaped
            }
            guard Self.isTextByte(byte) else {
                throw .malformedMessage("the value of a parameter of the header has control characters")
            }
            bytes.append(byte)
        }
        throw .malformedMessage("a quoted string of the header has no end")
    }

    private mutating func token() throws(SCRAM.Error) -> String {
        let token = rest.prefix(while: Self.isTokenByte)
        guard !token.isEmpty else {
            throw .malformedMessage("the header has no token where it must have one")
        }
        rest = rest[token.endIndex...]
        return String(decoding: token, as: UTF8.self)
    }

    /// Whether the next element is the single text of another scheme, such as that of Basic or Negotiate.
    private var isAtToken68: Bool {
        func isText(_ byte: UInt8) -> Bool {
            Self.isTokenByte(byte) && !"!#$%&'*^`|".utf8.contains(byte) || byte == UInt8(ascii: "/")
        }
        let text = rest.prefix(while: isText)
        let end = rest[text.endIndex...].drop { $0 == UInt8(ascii: "=") }.drop(while: Self.isSpace)
        return !text.isEmpty && (end.isEmpty || end.first == UInt8(ascii: ","))
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 9 || byte == 32 }

    private mutating func skipSpace() { rest = rest.drop(while: Self.isSpace) }

    private mutating func skipEmptyElements() {
        rest = rest.drop { Self.isSpace($0) || $0 == UInt8(ascii: ",") }
    }

    /// Requires the comma between two elements, or the end, unless the list goes on with the next scheme.
    private mutating func endElement() throws(SCRAM.Error) {
        let end = rest
        skipEmptyElements()
        guard rest.isEmpty || end.prefix(end.count - rest.count).contains(UInt8(ascii: ",")) else {
            throw .malformedMessage("the elements of the header are not separated by commas")
        }
    }
}
