// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit

/// A component that a signature covers: `@method`, `content-type`, or with parameters as in the field
/// `Signature-Input`, `"@query-param";name="id"`.
struct ComponentArgument: ExpressibleByArgument {
    let component: MessageSignature.Component

    init?(argument: String) {
        let text = argument.utf8.first == UInt8(ascii: "\"") ? argument : "\"\(argument)\""
        let list = try? StructuredField.List(parsing: Array("(\(text))".utf8))
        guard case .innerList(let inner)? = list?.members.first, inner.items.count == 1,
            let component = try? MessageSignature.Input(inner).components.first
        else { return nil }
        self.component = component
    }
}
