// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CredKit
internal import HTTPTypes

/// Adds a signature to the parameters of requests.
struct ParameterSigner: Sendable {
    let signature: Legacy.SortedParameterSignature
    /// Parameters that are added each time.
    let added: @Sendable () -> [(key: String, value: String)]

    /// Returns a request with a signature among its parameters.
    func sign(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?
    ) throws(ClientError) -> (request: HTTPRequest, body: HTTPRequestBody?) {
        let target = request.path ?? ""
        let path = target.prefix { $0 != "?" }
        var query = FormText(target.dropFirst(path.count + 1))
        var form = try form(request, body)
        var added = added()
        // Those of a redirect's target may be the old ones.
        let replaced = added.map(\.key) + [signature.format.signatureName]
        query.remove(replaced)
        form?.remove(replaced)
        guard let parameters = query.decoded, let fields = form.map(\.decoded) ?? [] else {
            throw Self.refused("a parameter is not UTF-8")
        }
        do throws(SignatureError) {
            let value = try signature.signature(of: parameters + fields + added)
            added.append((key: signature.format.signatureName, value: value))
        } catch {
            throw Self.refused("\(error)")
        }
        guard var form else {
            query.append(added)
            var request = request
            request.path = path + "?" + query.text
            return (request, body)
        }
        form.append(added)
        return (request, HTTPRequestBody(Array(form.text.utf8)))
    }

    /// The body of a request as a form; `nil` if there is no body.
    private func form(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?
    ) throws(ClientError) -> FormText? {
        guard let body else { return nil }
        guard case .bytes(let bytes) = body.content else {
            throw Self.refused("its body is a file or a stream")
        }
        let type = request.headerFields.first(.contentType)?.prefix { $0 != ";" && $0 != " " } ?? ""
        guard type.lowercased() == "application/x-www-form-urlencoded" else {
            if bytes.isEmpty { return nil }
            throw Self.refused("its body is not a form: sign its parameters before it is sent")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw Self.refused("a parameter is not UTF-8")
        }
        return FormText(text[...])
    }

    private static func refused(_ reason: String) -> ClientError {
        .invalidRequest("the parameters of the request cannot be signed: \(reason)")
    }
}
