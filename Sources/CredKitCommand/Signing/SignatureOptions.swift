// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitTerminal
import HTTPTypes

/// The options of the commands that sign and verify messages in files.
struct SignatureOptions: ParsableArguments {
    @Flag(help: "Print what is signed, to compare it with what the other side has computed.")
    var base = false

    @Option(
        help: ArgumentHelp(
            """
            What the signature covers, beside content; may be repeated: @method, content-type, \
            '"@query-param";name="id"'. (default: @method, @authority, @path and @query; of a response @status)
            """,
            valueName: "component"
        )
    )
    var cover: [ComponentArgument] = []

    @Flag(help: "The message was or will be sent over unencrypted http.")
    var http = false

    /// Rejects options that have no meaning for a kind of signature.
    func check(_ kind: SignatureKind) throws {
        guard cover.isEmpty || kind.format == nil else {
            throw ValidationError(
                "--cover belongs to hmac-sha256, ed25519 and the other HTTP Message Signatures."
            )
        }
    }

    /// What the signature of a message covers.
    func components(for file: MessageFile) -> [MessageSignature.Component] {
        var components = cover.map(\.component)
        if components.isEmpty {
            if case .response = file.start {
                components = [.status]
            } else {
                components = [.method, .authority, .path, .query]
            }
        }
        if !file.content.isEmpty, !components.contains(.contentDigest) { components.append(.contentDigest) }
        return components
    }

    /// Returns the request in a file, whose parameters are signed.
    static func request(
        _ file: MessageFile,
        _ name: FileArgument
    ) throws -> (request: HTTPRequest, body: HTTPRequestBody?) {
        guard case .request(let target) = file.start, let path = target.pathAndQuery else {
            throw CommandFailure(
                .malformed,
                "\(name.quotedForMessage): only a request with a path has parameters to sign"
            )
        }
        var request = HTTPRequest(
            method: target.method,
            scheme: target.scheme,
            authority: target.authority,
            path: path
        )
        request.headerFields[.contentType] = file.values("content-type").first
        return (request, file.content.isEmpty ? nil : HTTPRequestBody(file.content))
    }
}

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
