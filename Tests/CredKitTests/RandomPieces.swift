// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension Array {
    /// Splits the elements at random positions; some pieces are empty.
    func randomPieces() -> [ArraySlice<Element>] {
        let cuts = (0..<Int.random(in: 0...6)).map { _ in Int.random(in: 0...count) }.sorted()
        return zip([0] + cuts, cuts + [count]).map { self[$0..<$1] }
    }
}
