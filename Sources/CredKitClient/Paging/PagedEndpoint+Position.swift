// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

extension PagedEndpoint {
    /// Returns the URL of a page of the list at `first`.
    func url(of position: PageProgress.Position, in first: HTTPURL) -> HTTPURL {
        var parameters: [(name: String, value: [UInt8])] = []
        switch (position, paging.kind) {
        case (.link(let url), _): return url
        case (.number(let number), .pageNumber(let name, _)), (.offset(let number), .offset(let name, _)):
            parameters.append((name, Array("\(number)".utf8)))
        case (.cursor(let cursor), .cursor(let name, _)): parameters.append((name, cursor))
        default: break
        }
        if let name = paging.sizeParameter, let size = paging.size {
            parameters.append((name, Array("\(size)".utf8)))
        }
        return first.setting(parameters)
    }

    /// Returns what a page, which came from `url`, says about the list at `first`.
    func facts(
        of page: Endpoint<PageContents<Element>>.Response,
        from url: HTTPURL,
        in first: HTTPURL
    ) throws(ClientError) -> PageProgress.Facts {
        var facts = PageProgress.Facts(
            count: page.value.elements.count,
            digest: page.value.digest,
            hasMore: page.value.hasMore,
            total: page.value.total,
            cursor: page.value.cursor
        )
        let status = page.head.status.code
        switch paging.kind {
        case .cursor(_, .header(let name)):
            if let value = page.head.headerFields[name], !value.isEmpty {
                guard value.utf8.count <= JSONSlices.maximumCursorByteCount else {
                    throw .malformedResponse("malformed response: the cursor is too long", status: status)
                }
                facts.cursor = Array(value.utf8)
            }
        case .link(nil) where facts.hasMore != false:
            let fields = page.head.headerFields.filter { ASCIIText.areEqual($0.name.canonicalName, "link") }
            facts.link = try Self.next(LinkHeader(fields.map(\.value)), from: url, in: first, status: status)
        case .link where facts.hasMore != false:
            guard let target = page.value.link else { break }
            facts.link = try Self.next(target, from: url, in: first, status: status)
        default: break
        }
        return facts
    }

    /// Returns the link to the next page in a header.
    static func next(
        _ header: LinkHeader,
        from url: HTTPURL,
        in first: HTTPURL,
        status: Int
    ) throws(ClientError) -> HTTPURL? {
        let targets = header.targets(of: "next")
        guard let target = targets.first else {
            // A list must not end early without an error.
            guard header.isComplete else {
                throw .malformedResponse(
                    "malformed response: the Link header is invalid or too long",
                    status: status
                )
            }
            return nil
        }
        guard targets.allSatisfy({ ASCIIText.areEqual($0, target) }) else {
            throw .malformedResponse("malformed response: it has several next pages", status: status)
        }
        return try next(target, from: url, in: first, status: status)
    }

    /// Resolves the link to the next page. It must not lead to another server: the request has headers that the program
    /// chose for this one, and may have the session's cookies and token.
    private static func next(
        _ target: String,
        from url: HTTPURL,
        in first: HTTPURL,
        status: Int
    ) throws(ClientError) -> HTTPURL {
        let next: HTTPURL
        do throws(ClientError) {
            next = try url.resolving(target)
        } catch {
            throw .malformedResponse(
                "malformed response: the link to the next page: \(error)",
                status: status
            )
        }
        // Another server may have answered after a redirect. It must not choose what is requested with credentials.
        guard next.origin == first.origin, url.origin == first.origin else {
            throw .pageLinkRefused(
                "refusing to follow the link to the next page: it leads to \(next.origin), and the list is at \(first.origin)"
            )
        }
        return next
    }
}
