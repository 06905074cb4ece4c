// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension MessageSignature.Component {
    /// Returns the canonical form of a structured field or of its member, as the parameters `sf` and `key` require;
    /// `nil` if there is none of them.
    ///
    /// - Parameters:
    ///   - value: The joined lines of the field.
    ///   - known: The dictionaries that were parsed before, by the name of the field. A signature can cover many members of
    ///     one.
    /// - Returns: The canonical form.
    /// - Throws: ``MessageSignature/Error`` if the field or the member is missing or has another type.
    func structuredValue(
        of value: [UInt8],
        _ known: inout [String: StructuredField.Dictionary]
    ) throws(MessageSignature.Error) -> [UInt8]? {
        do {
            if case .string(let key)? = parameters["key"] {
                let parsed = try known[name] ?? dictionary(value)
                known[name] = parsed
                guard let member = parsed[key] else { throw MessageSignature.Error.missingComponent(name) }
                return Array(try member.serialized().utf8)
            }
            guard has("sf") else { return nil }
            let text =
                switch name {
                case "content-digest", "repr-digest", "want-content-digest", "want-repr-digest", "signature",
                    "signature-input", "accept-signature", "priority":
                    try dictionary(value).serialized()
                case "cache-status", "proxy-status", "client-cert-chain", "accept-ch":
                    try StructuredField.List(parsing: value).serialized()
                case "client-cert":
                    try StructuredField.Item(parsing: value).serialized()
                default:
                    throw MessageSignature.Error.invalidComponent(name, "the type of this field is unknown")
                }
            return Array(text.utf8)
        } catch let error as MessageSignature.Error {
            throw error
        } catch {
            throw .invalidValue(name, "it is not a structured field of the expected type")
        }
    }

    /// Of a member that occurs twice, another parser may take the other one.
    private func dictionary(
        _ value: [UInt8]
    ) throws(MessageSignature.Error) -> StructuredField.Dictionary {
        do throws(MessageSignature.Error) {
            return try MessageSignature.uniqueDictionary(value, name)
        } catch {
            throw .invalidValue(name, "it is no dictionary, or has a member or parameter twice")
        }
    }
}
