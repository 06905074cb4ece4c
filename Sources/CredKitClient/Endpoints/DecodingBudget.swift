// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// What decoding a response may cost. Foundation's decoder takes up to 100 bytes for each value of a document, so that
/// the size of a response alone does not limit its memory.
struct DecodingBudget: Sendable {
    /// The maximum number of values and names in JSON that is decoded at once, and of elements in a page.
    var maximumValueCount = 1 << 20

    /// The end of the time for the response; `nil` for none.
    var deadline: ContinuousClock.Instant?

    /// The budget of responses up to a size: one value for each 16 bytes, which is denser than most JSON.
    static func responses(upTo byteCount: Int, deadline: ContinuousClock.Instant? = nil) -> Self {
        Self(maximumValueCount: max(Self().maximumValueCount, byteCount / 16), deadline: deadline)
    }

    /// Throws if the time is over.
    func checkDeadline() throws(ClientError) {
        if let deadline, ContinuousClock.now >= deadline { throw .timedOut }
    }

    /// Throws if there are too many values.
    func check(valueCount: Int, status: Int? = nil) throws(ClientError) {
        guard valueCount <= maximumValueCount else {
            throw .overLimit("the response has more than \(maximumValueCount) values", status: status)
        }
    }
}
