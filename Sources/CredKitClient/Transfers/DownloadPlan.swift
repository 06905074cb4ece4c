// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Decides what to ask for, and what a response means for the file. It does no I/O.
struct DownloadPlan: Sendable {
    /// What an earlier download has left.
    struct Part: Hashable, Sendable {
        var byteCount: Int64
        var validator: DownloadValidator
        /// The size of the whole file; `nil` if the server did not say.
        var total: Int64?
    }

    /// What a response means.
    enum Verdict: Equatable {
        /// The body is the whole file, of this size if it is known.
        case begin(total: Int64?)
        /// The body is these bytes of a file of this size.
        case go(from: Int64, to: Int64, total: Int64)
        /// The part is the whole file.
        case done
        /// The response cannot be used: ask for the last byte of the part, whose response must name the file.
        case askForLastByte
        /// The response cannot be used: ask for the whole file.
        case askForWhole
        case fail(ClientError)
    }

    /// The part to continue; `nil` to ask for the whole file.
    let part: Part?
    /// The first byte to ask for; `nil` for the whole file.
    let start: Int64?

    /// Plans a request.
    ///
    /// - Parameters:
    ///   - part: What an earlier download has left; `nil` to ask for the whole file.
    ///   - asksForLastByte: Whether the part may be the whole file.
    init(_ part: Part?, asksForLastByte: Bool = false) {
        guard let part, part.byteCount > 0, part.total.map({ part.byteCount <= $0 }) ?? true else {
            (self.part, start) = (nil, nil)
            return
        }
        self.part = part
        // There is nothing to ask for behind the end, so the response could not name the file: its last byte can.
        start = asksForLastByte || part.byteCount == part.total ? part.byteCount - 1 : part.byteCount
    }

    /// Adds the range to a request.
    func fill(_ headers: inout HTTPFields) {
        guard let start, let part else { return }
        headers.replace(.range, with: "bytes=\(start)-")
        headers.replace(.ifRange, with: part.validator.text)
    }

    /// Judges a response.
    func judge(_ head: HTTPResponse) -> Verdict {
        switch head.status.code {
        case 200:
            // Some servers answer a range with the wrong status.
            guard !head.headerFields.hasField(.contentRange) else { return unusable(head) }
            return .begin(total: Self.length(head))
        case 206: return judgePart(head)
        case 416 where start != nil: return judgeEnd(head)
        default: return .fail(.unexpectedStatus(head, nil))
        }
    }

    private func judgePart(_ head: HTTPResponse) -> Verdict {
        guard let start, let part, case .bytes(start, let last, let total?)? = ContentRange(head),
            part.total.map({ $0 == total }) ?? true, isSameVersion(head, part),
            total >= part.byteCount
        else { return unusable(head) }
        if let length = head.headerFields.first(.contentLength) {
            guard ContentRange.number(length.utf8) == last - start + 1 else { return unusable(head) }
        }
        return .go(from: start, to: last + 1, total: total)
    }

    /// Whether a range is of the version that the bytes are of. One with a tag must name it (RFC 9110 section 15.3.7); a
    /// date may be missing, and is that of all encodings.
    private func isSameVersion(_ head: HTTPResponse, _ part: Part) -> Bool {
        let match = part.validator.match(head)
        switch part.validator {
        case .entityTag: return match == .same
        case .modified: return match != .other && !head.headerFields.hasField(.contentEncoding)
        }
    }

    private func judgeEnd(_ head: HTTPResponse) -> Verdict {
        guard let start, let part, part.total.map({ $0 == part.byteCount }) ?? true else {
            return .askForWhole
        }
        // Apache httpd's error page has no Content-Range.
        let isSizeKnown = head.headerFields.hasField(.contentRange)
        if isSizeKnown {
            guard case .unsatisfied(part.byteCount)? = ContentRange(head) else { return .askForWhole }
        }
        switch part.validator.match(head) {
        case .same where isSizeKnown: return .done
        case .other: return .askForWhole
        // An error page, which says nothing about the file. If the last byte is not there either, begin anew.
        case .same, .unknown: return start == part.byteCount ? .askForLastByte : .askForWhole
        }
    }

    private func unusable(_ head: HTTPResponse) -> Verdict {
        guard start == nil else { return .askForWhole }
        return .fail(
            .malformedResponse(
                "the server sent a part of a file instead of all of it",
                status: head.status.code
            )
        )
    }

    /// The size of the file that a response contains; `nil` if it is unknown.
    private static func length(_ head: HTTPResponse) -> Int64? {
        head.headerFields.first(.contentLength).flatMap { ContentRange.number($0.utf8) }
    }
}
