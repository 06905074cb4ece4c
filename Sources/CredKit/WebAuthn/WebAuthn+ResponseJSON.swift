// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension WebAuthn {
    /// A response as `toJSON()` of the browser writes it: what both ceremonies have, and the members of `response`.
    ///
    /// Members that are not known are ignored, and `null` stands for an optional member that is missing. Base64url has no
    /// padding and only one form of each value.
    struct ResponseJSON {
        let credentialID: [UInt8]
        let authenticatorAttachment: String?
        private let members: [String: StrictJSON]

        init(parsing json: some Collection<UInt8>) throws(Error) {
            guard json.count <= maximumResponseByteCount else {
                throw .overLimit("a response has more than \(maximumResponseByteCount) bytes")
            }
            let outer: [String: StrictJSON]
            do throws(StrictJSON.ParsingError) {
                outer = try StrictJSON(parsing: json).object ?? [:]
            } catch {
                throw .malformedResponse(error.reason)
            }
            guard outer["type"]?.isText("public-key") == true else {
                throw .malformedResponse("its type is not 'public-key'")
            }
            guard let members = outer["response"]?.object else {
                throw .malformedResponse("it has no response")
            }
            guard let id = Self.bytes(outer["id"]), let rawID = Self.bytes(outer["rawId"]) else {
                throw .malformedResponse("id or rawId is not base64url")
            }
            guard id == rawID else { throw .credentialIDMismatch }
            guard (outer["clientExtensionResults"] ?? .object([:])).object != nil else {
                throw .malformedResponse("clientExtensionResults is not an object")
            }
            let attachment = Self.present(outer["authenticatorAttachment"])
            guard attachment == nil || attachment?.string != nil else {
                throw .malformedResponse("authenticatorAttachment is not a text")
            }
            credentialID = id
            authenticatorAttachment = attachment?.string
            self.members = members
        }

        /// Returns the bytes of a member of `response`.
        func bytes(_ name: String) throws(Error) -> [UInt8] {
            guard let bytes = Self.bytes(members[name]) else {
                throw .malformedResponse("\(name) is not base64url")
            }
            return bytes
        }

        /// Returns the bytes of a member of `response` that may be missing.
        func optionalBytes(_ name: String) throws(Error) -> [UInt8]? {
            try Self.present(members[name]) == nil ? nil : bytes(name)
        }

        /// Returns the words of a member of `response` that may be missing.
        func words(_ name: String) throws(Error) -> [String] {
            guard let list = Self.present(members[name]) else { return [] }
            guard let words = list.array?.compactMap(\.string), words.count == list.array?.count else {
                throw .malformedResponse("\(name) is not a list of texts")
            }
            return words
        }

        private static func present(_ value: StrictJSON?) -> StrictJSON? {
            if case .null? = value { nil } else { value }
        }

        private static func bytes(_ value: StrictJSON?) -> [UInt8]? {
            guard let text = value?.string else { return nil }
            return try? Base64.urlSafe.unpadded.decode(text)
        }
    }
}
