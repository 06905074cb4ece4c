// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Faster access to fields with one value: the subscripts of header fields join and split values.
extension HTTPFields {
    /// Whether there is a field with a name.
    func hasField(_ name: HTTPField.Name) -> Bool { contains { $0.name == name } }

    /// Returns the value of the first field with a name.
    func first(_ name: HTTPField.Name) -> String? { first { $0.name == name }?.value }

    /// Replaces all fields with a name by one field.
    mutating func replace(_ name: HTTPField.Name, with value: String) {
        if hasField(name) { removeAll { $0.name == name } }
        append(HTTPField(name: name, value: value))
    }
}

/// Values that are sent back to the server. `HTTPField.value` replaces bytes that are not UTF-8.
extension HTTPFields {
    /// Returns the values of the fields with a name, without those that are not UTF-8.
    func valuesInUTF8(_ name: HTTPField.Name) -> [String] {
        compactMap { field -> String? in field.name == name ? field.valueInUTF8 : nil }
    }

    /// Whether the values of all fields with a name are UTF-8.
    func areUTF8(_ name: HTTPField.Name) -> Bool {
        allSatisfy { field in field.name != name || field.valueInUTF8 != nil }
    }
}

extension HTTPField {
    /// The value; `nil` if it is not UTF-8.
    fileprivate var valueInUTF8: String? {
        let bytes = unsafe withUnsafeBytesOfValue { unsafe Array($0) }
        return String(validating: bytes, as: UTF8.self)
    }
}
