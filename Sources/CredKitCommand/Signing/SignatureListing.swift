// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKit
import CredKitTerminal

/// What a valid signature says and covers, as text and as JSON.
struct SignatureListing: Encodable {
    private let result = "valid"
    private let label: String?
    private let keyID: String?
    private let algorithm: String?
    private let created: String?
    private let nonce: String?
    private let tag: String?
    private let components: [String]?
    private let parameters: [String]?

    init(_ signature: MessageSignature.Accepted) {
        label = signature.label
        keyID = signature.keyID
        algorithm = signature.algorithm.rawValue
        created = "\(signature.created)"
        nonce = signature.nonce
        tag = signature.tag
        components = signature.components.map { "\($0)" }
        parameters = nil
    }

    /// - Parameter parameters: The names of the signed parameters.
    init(parameters: [String]) {
        (label, keyID, algorithm, created, nonce, tag, components) = (nil, nil, nil, nil, nil, nil, nil)
        self.parameters = parameters
    }

    /// The lines for people.
    var text: String {
        var lines = [result]
        func add(_ name: String, _ value: String?) {
            if let value { lines.append("\(name): \(ShellQuoting.escapingUnprintable(value))") }
        }
        add("label", label)
        add("key", keyID)
        add("algorithm", algorithm)
        add("created", created)
        if keyID != nil { add("nonce", nonce ?? "none, so that it can be sent again") }
        add("tag", tag)
        add("covers", (components ?? parameters)?.joined(separator: " "))
        return lines.joined(separator: "\n")
    }
}
