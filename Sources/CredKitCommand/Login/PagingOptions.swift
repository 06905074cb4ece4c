// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal
import HTTPTypes

/// The options for lists that a server sends in pages.
struct PagingOptions: ParsableArguments {
    enum Style: String, ExpressibleByArgument, CaseIterable {
        case link, page, offset, cursor
    }

    @Option(
        help: ArgumentHelp(
            "Request all pages of a list, found in this way, and print each element as a line of JSON.",
            valueName: "way"
        )
    )
    var paginate: Style?

    @Option(
        help: ArgumentHelp(
            "The field with the elements (default: the response itself).",
            valueName: "field"
        )
    )
    var items: TextArgument?

    @Option(help: ArgumentHelp("The number of elements to request at once.", valueName: "number"))
    var pageSize: Int?

    @Option(
        help: ArgumentHelp(
            "The query parameter of the page size (default: per_page or limit).",
            valueName: "name"
        )
    )
    var sizeParam: TextArgument?

    @Option(
        help: ArgumentHelp(
            "The query parameter of the page (default: page, offset or cursor).",
            valueName: "name"
        )
    )
    var pageParam: TextArgument?

    @Option(
        help: ArgumentHelp(
            "The field with the next cursor or link, such as data.next.",
            valueName: "field"
        )
    )
    var cursorField: TextArgument?

    func validate() throws {
        guard let paginate else {
            guard pageParam == nil, sizeParam == nil, pageSize == nil, cursorField == nil, items == nil else {
                throw ValidationError("The options for pages need --paginate.")
            }
            return
        }
        guard paginate != .cursor || cursorField != nil else {
            throw ValidationError("--paginate cursor needs --cursor-field.")
        }
        guard cursorField == nil || paginate == .cursor || paginate == .link else {
            throw ValidationError("Only --paginate cursor and --paginate link have --cursor-field.")
        }
        guard paginate != .link || pageParam == nil else {
            throw ValidationError("--paginate link has no --page-param.")
        }
        guard pageSize.map({ 1...1_000_000 ~= $0 }) ?? true else {
            throw ValidationError("The page size must be a number from 1 to 1000000.")
        }
        guard pageSize != nil || sizeParam == nil else {
            throw ValidationError("--size-param needs --page-size.")
        }
    }

    /// Returns the list that begins with a request; `nil` without `--paginate`.
    func list(_ request: HTTPRequest, to url: HTTPURL, body: HTTPRequestBody?) throws -> PagedEndpoint<
        [UInt8]
    >? {
        guard let paginate else { return nil }
        var endpoint = Endpoint<[[UInt8]]>(request.method, "/")
        endpoint.headers = request.headerFields
        endpoint.payload = body.map { .body($0, contentType: nil) }
        endpoint.envelope = Envelope.none
        var list = PagedEndpoint(endpoint, paging: try style(paginate, at: url), items: items?.text)
        list.url = url
        return list
    }

    private func style(_ style: Style, at url: HTTPURL) throws -> PagingStyle {
        let parameter = pageParam?.text ?? style.rawValue
        let sizeParameter = sizeParam?.text ?? (style == .link || style == .page ? "per_page" : "limit")
        // A cursor in the URL is that of the first page; it is sent unchanged.
        let hasNumbers = style == .page || style == .offset
        let first = try (hasNumbers ? url.parameter(parameter) : nil).map { value in
            guard let number = Int(String(decoding: value, as: UTF8.self)), number >= 0 else {
                throw ValidationError("The parameter '\(parameter)' of the URL must be a number.")
            }
            return number
        }
        return switch style {
        case .link:
            if let cursorField {
                .link(field: cursorField.text, size: pageSize, in: sizeParameter)
            } else {
                .link(size: pageSize, in: sizeParameter)
            }
        case .page: .pageNumber(parameter, first: first ?? 1, size: pageSize, in: sizeParameter)
        case .offset: .offset(parameter, first: first ?? 0, size: pageSize, in: sizeParameter)
        case .cursor:
            .cursor(parameter, next: .field(cursorField?.text ?? ""), size: pageSize, in: sizeParameter)
        }
    }
}
