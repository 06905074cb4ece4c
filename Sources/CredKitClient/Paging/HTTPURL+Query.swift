// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HTTPURL {
    /// Returns this URL with parameters of the query added, or replaced where they stand.
    func setting(_ parameters: [(name: String, value: [UInt8])]) -> HTTPURL {
        var query = FormText(query?[...] ?? "")
        for (name, value) in parameters { query.set(name, to: value) }
        let text = query.text
        return HTTPURL(origin: origin, path: path, query: text.isEmpty ? nil : text)
    }

    /// Returns the first value of a parameter of the query, not encoded; `nil` if there is none.
    package func parameter(_ name: String) -> [UInt8]? { FormText(query?[...] ?? "").value(name) }
}
