// Part of CredKit. SPDX-License-Identifier: Apache-2.0

public import HTTPTypes

extension Endpoint where Body == Void {
    /// An interface whose responses have no body that matters.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - path: The path, as text; see ``path``.
    ///   - query: Names and values of the query, as text.
    ///   - content: What is sent.
    public init(
        _ method: HTTPRequest.Method,
        _ path: String,
        query: KeyValuePairs<String, String> = [:],
        content: EndpointContent? = nil
    ) {
        self.init(method: method, path: path, query: query, content: content, decoding: .nothing)
    }

    /// An interface that is asked by GET, whose responses have no body that matters.
    ///
    /// - Parameters:
    ///   - path: The path, as text; see ``path``.
    ///   - query: Names and values of the query, as text.
    /// - Returns: The endpoint.
    public static func get(_ path: String, query: KeyValuePairs<String, String> = [:]) -> Self {
        Self(.get, path, query: query)
    }

    /// An interface that a form is posted to, whose responses have no body that matters.
    ///
    /// - Parameters:
    ///   - path: The path, as text; see ``path``.
    ///   - query: Names and values of the query, as text.
    ///   - form: Names and values of the form, as text.
    /// - Returns: The endpoint.
    public static func post(
        _ path: String,
        query: KeyValuePairs<String, String> = [:],
        form: KeyValuePairs<String, String>
    ) -> Self {
        Self(.post, path, query: query, content: .form(form))
    }

    /// An interface that JSON is posted to, whose responses have no body that matters.
    ///
    /// - Parameters:
    ///   - path: The path, as text; see ``path``.
    ///   - query: Names and values of the query, as text.
    ///   - json: What to write as JSON; see ``EndpointContent/json(_:)``.
    /// - Returns: The endpoint.
    public static func post(
        _ path: String,
        query: KeyValuePairs<String, String> = [:],
        json: some Encodable & Sendable
    ) -> Self {
        Self(.post, path, query: query, content: .json(json))
    }
}
