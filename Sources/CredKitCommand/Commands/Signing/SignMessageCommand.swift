// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitTerminal
import HTTPTypes

/// `credkit sign message`, which is `credkit sign`: signs an HTTP message in a file.
struct SignMessageCommand: AsyncCommand {
    static let configuration = CommandConfiguration(
        commandName: "message",
        abstract: "Sign an HTTP message in a file, and print it.",
        discussion: """
            For instance:
              credkit sign --with hmac-sha256:k1=signing.key request.http
              credkit sign --with hmac-sha256:k1=signing.key --base request.http

            The file has the first line, the headers, an empty line and the content, as 'curl -i' prints them. \
            hmac-sha256 and ed25519 add an HTTP Message Signature (RFC 9421), and the digest of any content. The other \
            kinds, for older backends, sign the parameters of a query or form. docs/command.md says what exactly is signed.
            """
    )

    @Option(
        help: ArgumentHelp(
            """
            The kind, the name of the key, and its file. hmac-sha256: all bytes of the file, 16 or more. ed25519: a \
            private key in PEM. wechat, wechat-hmac-sha256, top, top-hmac-md5, top-hmac-sha256, alipay, pinduoduo, jd: the \
            backend's secret; with the account as KEYID, wechat and top add the parameters that they require.
            """,
            valueName: "kind:keyid=file"
        )
    )
    var with: SignatureKeyArgument

    @OptionGroup
    var options: SignatureOptions

    @Option(
        help: ArgumentHelp(
            "The name of a further signature of a message that is signed already.",
            valueName: "name"
        )
    )
    var label = "sig"

    @Argument(help: "The file; - or none to read standard input.")
    var file: FileArgument?

    private var message: FileArgument { file ?? .standardInput }

    func validate() throws {
        try with.check("--with", forSigning: true)
        try options.check(with.kind)
        try InputSources.check(others: [with.descriptor, message.descriptor])
    }

    func execute() async throws {
        var file = try MessageFile(message, isSecure: !options.http)
        let base: [UInt8]
        if let signature = try with.parameterSignature() {
            base = try await signParameters(of: &file, signature)
        } else {
            base = try signMessage(&file)
        }
        let output = options.base ? base + [10] : file.bytes
        try StandardStreams.write(StandardStreams.showable(output))
    }

    private func signMessage(_ file: inout MessageFile) throws -> [UInt8] {
        let digest = ContentDigest(fieldLines: file.values("content-digest"))
        if !file.content.isEmpty, digest?.matches(file.content) != true {
            file.remove("content-digest")
            file.append([("Content-Digest", ContentDigest(of: file.content).fieldValue)])
        }
        let key = try with.signingKey()
        do {
            let labels = try MessageSignature.Received.all(in: file.message).map(\.label)
            guard !labels.contains(label) else {
                throw CommandFailure(
                    .malformed,
                    "\(message.quotedForMessage): it has a signature with this name already: remove it, or give --label"
                )
            }
            let signer = try MessageSignature.Signer(
                key: key,
                keyID: with.keyID,
                covering: options.components(for: file),
                label: label
            )
            let signed = try signer.sign(file.message)
            let alone = MessageSignature.Message.response(
                .init(
                    status: 200,
                    fields: [
                        .init("Signature-Input", signed.signatureInput), .init("Signature", signed.signature),
                    ]
                )
            )
            let input = try MessageSignature.Received.all(in: alone).first?.input()
            let base = try input?.signatureBase(of: file.message) ?? []
            file.append([("Signature-Input", signed.signatureInput), ("Signature", signed.signature)])
            return base
        } catch let error as MessageSignature.Error {
            throw CommandFailure(.malformed, "\(message.quotedForMessage): \(error)")
        }
    }

    private func signParameters(
        of file: inout MessageFile,
        _ signature: Legacy.SortedParameterSignature
    ) async throws -> [UInt8] {
        let (request, body) = try SignatureOptions.request(file, message)
        do {
            // A signature of nothing would be the same for each request, and is valid for no server.
            if with.keyID.isEmpty, try !signature.signsAny(of: RequestSigner.parameters(of: request, body)) {
                throw CommandFailure(
                    .usage,
                    "\(message.quotedForMessage): the request has no parameters to sign, in its query or a form"
                )
            }
            let signed = try await with.signer().sign(request, body) { .now }
            let target = Substring(signed.request.path ?? "").utf8
            let mark = target.firstIndex(of: UInt8(ascii: "?"))
            let query = mark.map { String(Substring(target[$0...].dropFirst())) }
            if case .bytes(let content)? = signed.body?.content {
                file.replace(query: query, content: content)
            } else {
                file.replace(query: query, content: file.content)
            }
            let parameters = try RequestSigner.parameters(of: signed.request, signed.body)
            return Array(try signature.signatureBase(of: parameters).utf8)
        } catch let error as ClientError {
            throw CommandFailure(.malformed, "\(message.quotedForMessage): \(error)")
        } catch let error as SignatureError {
            throw CommandFailure(.malformed, "\(message.quotedForMessage): \(error)")
        }
    }
}
