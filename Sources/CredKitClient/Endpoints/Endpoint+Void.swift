// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

/// Endpoints whose responses have no value: a response means success by its status and by the code in its envelope. The
/// parameters are those of endpoints with a value.
extension Endpoint<Void> {
    /// Creates an endpoint.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, not encoded; see ``path``.
    ///   - query: Names and values of the query, not encoded.
    ///   - payload: The body of the request.
    public init(
        _ method: HTTPRequest.Method,
        _ path: String,
        query: KeyValuePairs<String, String> = [:],
        payload: RequestPayload? = nil
    ) { self.init(method: method, path: path, query: query, payload: payload, decoding: .nothing) }

    /// Creates a GET endpoint.
    public static func get(_ path: String, query: KeyValuePairs<String, String> = [:]) -> Self {
        Self(.get, path, query: query)
    }

    /// Creates a POST endpoint with a form.
    public static func post(
        _ path: String,
        query: KeyValuePairs<String, String> = [:],
        form: KeyValuePairs<String, String>
    ) -> Self { Self(.post, path, query: query, payload: .form(form)) }

    /// Creates a POST endpoint with a JSON body.
    public static func post(
        _ path: String,
        query: KeyValuePairs<String, String> = [:],
        json: some Encodable & Sendable
    ) -> Self { Self(.post, path, query: query, payload: .json(json)) }
}
