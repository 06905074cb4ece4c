// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// The subscripts of header fields join and split values, which most fields have one of.
extension HTTPFields {
    /// Whether there is a field of that name.
    func hasField(_ name: HTTPField.Name) -> Bool { contains { $0.name == name } }

    /// The value of the first field of that name.
    func first(_ name: HTTPField.Name) -> String? { first { $0.name == name }?.value }

    /// Puts one field in the place of all of that name.
    mutating func replace(_ name: HTTPField.Name, with value: String) {
        if hasField(name) { removeAll { $0.name == name } }
        append(HTTPField(name: name, value: value))
    }
}
