// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension SCRAM {
    /// The first message of a client, as a server receives it: `n,,n=alice,r=nonce`.
    public struct ClientFirst: Sendable, Hashable {
        /// The user name, as the client sent it. Compare it as bytes. It is empty only if that was allowed.
        public let username: String

        /// What the client says of channel binding.
        public let binding: BindingRequest

        /// The client's nonce.
        let nonce: String

        /// The beginning until the second comma, to which the last message refers.
        let header: String

        /// The rest, which is part of what both sides sign.
        let bare: String

        /// Parses a message.
        ///
        /// - Parameters:
        ///   - message: The message, at most 8,192 bytes of UTF-8.
        ///   - allowsEmptyName: Whether the name may be empty, as in PostgreSQL's protocol, which has sent it before.
        /// - Throws: ``SCRAM/Error/malformedMessage``, ``SCRAM/Error/overLimit``; ``SCRAM/Error/unsupported`` for a mandatory
        ///   extension, an unknown kind of channel binding, and a client that wants to act as another user.
        public init(
            _ message: some Collection<UInt8>,
            allowsEmptyName: Bool = false
        ) throws(SCRAM.Error) {
            try self.init(SCRAM.text(of: message), allowsEmptyName: allowsEmptyName)
        }

        /// Parses a message.
        ///
        /// - Parameters:
        ///   - message: The message.
        ///   - allowsEmptyName: Whether the name may be empty.
        /// - Throws: As for ``init(_:allowsEmptyName:)-(Collection<UInt8>,_)``.
        public init(_ message: String, allowsEmptyName: Bool = false) throws(SCRAM.Error) {
            guard message.utf8.count <= SCRAM.maximumMessageByteCount else {
                throw .overLimit("a message is longer than \(SCRAM.maximumMessageByteCount) bytes")
            }
            guard !message.utf8.contains(0) else { throw .malformedMessage("it contains NUL") }
            let parts = message.utf8.split(
                separator: UInt8(ascii: ","),
                maxSplits: 2,
                omittingEmptySubsequences: false
            )
            guard parts.count == 3 else { throw .malformedMessage("it has no GS2 header") }
            binding = try Self.binding(Substring(parts[0]))
            bare = String(Substring(parts[2]))
            header = "\(Substring(parts[0])),\(Substring(parts[1])),"
            var attributes = try Attributes(Substring(parts[2]))
            guard let name = attributes.optional("n") else {
                throw .malformedMessage("the attribute 'n' is missing or not in its place")
            }
            username = try Self.name(name)
            guard allowsEmptyName || !username.isEmpty else {
                throw .malformedMessage("the user name is empty")
            }
            nonce = try attributes.nonce()
            // Both nonces together have a limit, too.
            guard nonce.utf8.count <= SCRAM.maximumNonceByteCount / 2 else {
                throw .overLimit("the nonce is longer than \(SCRAM.maximumNonceByteCount / 2) bytes")
            }
            try attributes.end(except: ["n", "r"])
            guard !parts[1].isEmpty else { return }
            guard parts[1].starts(with: "a=".utf8), parts[1].count > 2 else {
                throw .malformedMessage("its second part is not an identity (a=)")
            }
            guard try Self.name(parts[1].dropFirst(2)).utf8.elementsEqual(username.utf8) else {
                throw .unsupported("the client wants to act as another user")
            }
        }

        private static func binding(_ flag: Substring) throws(SCRAM.Error) -> BindingRequest {
            switch flag {
            case "n": return .unsupported
            case "y": return .notOffered
            default:
                guard flag.hasPrefix("p="), flag.utf8.count > 2 else {
                    throw .malformedMessage("its first part is not n, y or p=…")
                }
                guard let kind = ChannelBinding.Kind(rawValue: String(flag.dropFirst(2))) else {
                    throw .unsupported("the kind of channel binding is unknown")
                }
                return .bound(kind)
            }
        }

        /// Returns a name without the escapes of comma and equals sign.
        private static func name(_ escaped: Substring.UTF8View) throws(SCRAM.Error) -> String {
            var bytes: [UInt8] = []
            var rest = escaped[...]
            while let byte = rest.popFirst() {
                guard byte == UInt8(ascii: "=") else {
                    bytes.append(byte)
                    continue
                }
                if rest.starts(with: "2C".utf8) {
                    bytes.append(UInt8(ascii: ","))
                } else if rest.starts(with: "3D".utf8) {
                    bytes.append(UInt8(ascii: "="))
                } else {
                    throw .malformedMessage("the user name has an equals sign that escapes nothing")
                }
                rest = rest.dropFirst(2)
            }
            return String(decoding: bytes, as: UTF8.self)
        }

        /// Returns a name with comma and equals sign escaped.
        static func escaped(_ name: String) -> String {
            var bytes: [UInt8] = []
            for byte in name.utf8 {
                switch byte {
                case UInt8(ascii: ","): bytes += "=2C".utf8
                case UInt8(ascii: "="): bytes += "=3D".utf8
                default: bytes.append(byte)
                }
            }
            return String(decoding: bytes, as: UTF8.self)
        }
    }
}

extension SCRAM.ClientFirst: CustomStringConvertible, CustomReflectable {
    /// `‹client-first›`, without its content.
    public var description: String { "‹client-first›" }

    /// A mirror without children.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
