// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature.Component {
    /// Rejects what RFC 9421 §2 does not define, and trailers.
    func validate() throws(MessageSignature.Error) {
        guard !name.isEmpty else { throw invalid("the name is empty") }
        guard name.utf8.count <= MessageSignature.maximumTextByteCount else {
            throw .limitExceeded("the name of a component")
        }
        guard name.utf8.allSatisfy(StructuredField.Characters.isPrintable) else {
            throw invalid("it is not printable ASCII")
        }
        try isDerived ? validateDerived() : validateField()
    }

    private func validateDerived() throws(MessageSignature.Error) {
        guard let derived else { throw .invalidComponent(name, "this derived component is unknown") }
        if derived == .queryParameter {
            guard case .string(let text)? = parameters["name"] else { throw invalid("it needs a name") }
            guard text.utf8.count <= MessageSignature.maximumTextByteCount else {
                throw .limitExceeded("the name of a query parameter")
            }
        }
        for (key, value) in parameters {
            switch key {
            case "req" where value == .boolean(true) && derived != .status: break
            case "name" where derived == .queryParameter: break
            default: throw invalid("it cannot have these parameters")
            }
        }
    }

    private func validateField() throws(MessageSignature.Error) {
        guard name.utf8.allSatisfy(Self.isFieldName) else {
            throw .invalidComponent(name, "this is not the name of a field in lower case")
        }
        for (key, value) in parameters {
            switch (key, value) {
            case ("sf", .boolean(true)), ("bs", .boolean(true)), ("req", .boolean(true)): break
            case ("key", .string(let text)):
                guard text.utf8.count <= MessageSignature.maximumTextByteCount else {
                    throw .limitExceeded("the key of a member")
                }
            case ("tr", _): throw invalid("trailers are not supported")
            default: throw invalid("it cannot have these parameters")
            }
        }
        if has("bs") && (has("sf") || parameters["key"] != nil) {
            throw invalid("'bs' excludes 'sf' and 'key'")
        }
    }

    private func invalid(_ reason: String) -> MessageSignature.Error { .invalidComponent(name, reason) }

    /// Returns whether a byte is a character of tokens (RFC 9110 §5.6.2) but no upper-case letter.
    private static func isFieldName(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: ":"), UInt8(ascii: "/"): false
        default: StructuredField.Characters.isToken(byte)
        }
    }
}
