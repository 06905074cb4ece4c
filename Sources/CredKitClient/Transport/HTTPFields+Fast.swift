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
