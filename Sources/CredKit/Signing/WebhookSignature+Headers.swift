// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebhookSignature {
    /// A webhook that must be rejected.
    struct Rejection: Error {
        let reason: Reason
    }

    /// Returns the values of headers, each of which must occur exactly once: servers differ in which of several they read.
    ///
    /// - Parameters:
    ///   - names: The names, in any case.
    ///   - headers: All headers of the request, in any case.
    /// - Returns: One value for each name, in the order of the names.
    /// - Throws: A rejection if a header is missing or repeated.
    static func values(
        of names: [String],
        in headers: some Sequence<(name: String, value: String)>
    ) throws(Rejection) -> [String] {
        var found = [String?](repeating: nil, count: names.count)
        for (name, value) in headers {
            guard let index = names.firstIndex(where: { areSame($0, name) }) else { continue }
            guard found[index] == nil else { throw Rejection(reason: .repeatedHeader) }
            found[index] = value
        }
        let values = found.compactMap(\.self)
        guard values.count == names.count else { throw Rejection(reason: .missingHeader) }
        return values
    }

    /// Returns whether two names of headers are the same. The case of ASCII letters does not matter.
    private static func areSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count
            && zip(left.utf8, right.utf8).allSatisfy {
                MessageSignature.lowercased($0) == MessageSignature.lowercased($1)
            }
    }
}
