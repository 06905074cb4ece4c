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
        var form = try Self.form(request, body)
        var added = added()
        // Those of a redirect's target may be the old ones.
        let replaced = added.map(\.key) + [signature.format.signatureName]
        query.remove(replaced)
        form?.remove(replaced)
        let parameters = try Self.decoded(query, form)
        do throws(SignatureError) {
            let value = try signature.signature(of: parameters + added)
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

    /// Returns the parameters of a request, of its query and then of its form.
    static func parameters(
        of request: HTTPRequest,
        _ body: HTTPRequestBody?
    ) throws(ClientError) -> [(key: String, value: String)] {
        let query = FormText((request.path ?? "").drop { $0 != "?" }.dropFirst())
        return try decoded(query, try form(request, body))
    }

    private static func decoded(
        _ query: FormText,
        _ form: FormText?
    ) throws(ClientError) -> [(key: String, value: String)] {
        guard let parameters = query.decoded, let fields = form.map(\.decoded) ?? [] else {
            throw refused("a parameter is not UTF-8")
        }
        return parameters + fields
    }

    /// The body of a request as a form; `nil` if there is no body.
    private static func form(
        _ request: HTTPRequest,
        _ body: HTTPRequestBody?
    ) throws(ClientError) -> FormText? {
        guard let body else { return nil }
        guard case .bytes(let bytes) = body.content else {
            throw refused("its body is a file or a stream")
        }
        let type = request.headerFields.first(.contentType)?.prefix { $0 != ";" && $0 != " " } ?? ""
        guard type.lowercased() == "application/x-www-form-urlencoded" else {
            if bytes.isEmpty { return nil }
            throw refused("its body is not a form")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw refused("a parameter is not UTF-8")
        }
        return FormText(text[...])
    }

    private static func refused(_ reason: String) -> ClientError {
        .invalidRequest("the parameters of the request cannot be signed or verified: \(reason)")
    }
}
