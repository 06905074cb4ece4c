// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTestSupport

extension RandomSignedMessage {
    /// Changes one byte of what a covered component is taken from.
    ///
    /// - Returns: The name of the component.
    mutating func changeSource(_ generator: inout SeededGenerator) throws -> String {
        guard let component = try covered().randomElement(using: &generator) else { return "" }
        switch component.name {
        case "@method": Self.change(&method, &generator)
        case "@authority": Self.change(&authority, &generator)
        case "@scheme": Self.change(&scheme, &generator)
        case "@path": Self.change(&path, &generator)
        case "@query", "@query-param": changeQuery(&generator)
        case "@request-target":
            Bool.random(using: &generator) ? Self.change(&path, &generator) : changeQuery(&generator)
        case "@target-uri":
            switch Int.random(in: 0..<4, using: &generator) {
            case 0: Self.change(&scheme, &generator)
            case 1: Self.change(&authority, &generator)
            case 2: Self.change(&path, &generator)
            default: changeQuery(&generator)
            }
        case "@status": status = status.map { $0 ^ 1 }
        default:
            if status == nil || component.parameters["req"] != nil {
                Self.change(component.name, in: &fields, &generator)
            } else {
                Self.change(component.name, in: &responseFields, &generator)
            }
        }
        return component.name
    }

    private mutating func changeQuery(_ generator: inout SeededGenerator) {
        var text = query ?? ""
        Self.change(&text, &generator)
        query = text
    }

    private static func change(
        _ name: String,
        in fields: inout [[String]],
        _ generator: inout SeededGenerator
    ) {
        let indices = fields.indices.filter { fields[$0][0].lowercased() == name }
        guard let index = indices.randomElement(using: &generator) else { return }
        change(&fields[index][1], &generator)
    }

    /// Replaces a character by another one; every one stands for one byte. Text that is empty gets one.
    private static func change(_ text: inout String, _ generator: inout SeededGenerator) {
        var scalars = Array(text.unicodeScalars)
        let other = Unicode.Scalar(UInt8.random(in: 0x20...0x7E, using: &generator))
        if let index = scalars.indices.randomElement(using: &generator) {
            scalars[index] = scalars[index] == other ? "~" : other
        } else {
            scalars.append(other)
        }
        text = String(String.UnicodeScalarView(scalars))
    }
}
