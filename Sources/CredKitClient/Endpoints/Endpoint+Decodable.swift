// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension Endpoint where Value: Decodable {
    /// Creates an endpoint whose responses are JSON, or bytes returned unchanged if the value is `[UInt8]`.
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
    ) {
        self.init(method: method, path: path, query: query, payload: payload, decoding: .standard)
    }

    /// Creates a GET endpoint. Its responses are JSON, or bytes if the value is `[UInt8]`.
    ///
    /// - Parameters:
    ///   - path: The path, not encoded; see ``path``.
    ///   - query: Names and values of the query, not encoded.
    /// - Returns: The endpoint.
    public static func get(_ path: String, query: KeyValuePairs<String, String> = [:]) -> Self {
        Self(.get, path, query: query)
    }

    /// Creates a POST endpoint with a form. Its responses are JSON, or bytes if the value is `[UInt8]`.
    ///
    /// - Parameters:
    ///   - path: The path, not encoded; see ``path``.
    ///   - query: Names and values of the query, not encoded.
    ///   - form: Names and values of the form, not encoded.
    /// - Returns: The endpoint.
    public static func post(
        _ path: String,
        query: KeyValuePairs<String, String> = [:],
        form: KeyValuePairs<String, String>
    ) -> Self {
        Self(.post, path, query: query, payload: .form(form))
    }

    /// Creates a POST endpoint with a JSON body. Its responses are JSON, or bytes if the value is `[UInt8]`.
    ///
    /// - Parameters:
    ///   - path: The path, not encoded; see ``path``.
    ///   - query: Names and values of the query, not encoded.
    ///   - json: The value to encode as JSON; see ``RequestPayload/json(_:)``.
    /// - Returns: The endpoint.
    public static func post(
        _ path: String,
        query: KeyValuePairs<String, String> = [:],
        json: some Encodable & Sendable
    ) -> Self {
        Self(.post, path, query: query, payload: .json(json))
    }
}
