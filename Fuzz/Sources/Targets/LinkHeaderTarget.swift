// Part of CredKit. SPDX-License-Identifier: Apache-2.0

@testable import CredKitClient

extension FuzzTarget {
    /// Feeds `Link` headers, one per line, to the parser and to a list in pages.
    static let linkHeader = FuzzTarget("link-header") { bytes in
        var input = FuzzInput(bytes)
        var fields: [String] = []
        while !input.rest.isEmpty { fields.append(String(decoding: input.line(), as: UTF8.self)) }
        let header = LinkHeader(fields)
        try LinkProperties.check(header, of: fields)
        try LinkProperties.checkNext(header)
    }
}

private enum LinkProperties {
    static func check(_ header: LinkHeader, of fields: [String]) throws {
        var texts: [String] = []
        for link in header.links {
            let isThere = fields.contains { Array($0.utf8).contains(Array("<\(link.target)>".utf8)) }
            try require(isThere, "a target is part of a field: \(link.target)")
            for relation in link.relations {
                let isWord = relation.utf8.allSatisfy { $0 != 0x20 && $0 != 0x09 && !(0x41...0x5A ~= $0) }
                try require(isWord && !relation.isEmpty, "a relation is one word in lower case: \(relation)")
            }
            for (name, _) in link.parameters {
                try require(!name.utf8.contains { " \t=;,".utf8.contains($0) }, "a name is a word: \(name)")
            }
            texts.append(text(of: link))
        }
        let isCommaSeparated = LinkHeader([texts.joined(separator: ",")])
        try requireEqual(
            isCommaSeparated.links.map(image),
            header.links.map(image),
            "links written canonically are the same"
        )
        try requireEqual(
            LinkHeader(texts).links.map(image),
            header.links.map(image),
            "a field is a part of a list"
        )
        try require(isCommaSeparated.isComplete, "canonical links are complete")
    }

    /// The next page is at the server of the list.
    static func checkNext(_ header: LinkHeader) throws {
        let first = try HTTPURL("https://s.example/list?x=1")
        for text in ["https://s.example/list?x=1", "https://s.example/a/b", "https://t.example/"] {
            let url = try HTTPURL(text)
            guard let next = try? PagedEndpoint<Int>.next(header, from: url, in: first, status: 200) else {
                continue
            }
            try requireEqual(next.origin, first.origin, "links stay on their server")
            try require(header.links.contains { $0.relations.contains("next") }, "there is a next link")
        }
    }

    private static func text(of link: LinkHeader.Link) -> String {
        "<\(link.target)>"
            + link.parameters.map { name, value in
                var quoted = "\""
                for scalar in value.unicodeScalars {
                    if scalar == "\"" || scalar == "\\" { quoted.unicodeScalars.append("\\") }
                    quoted.unicodeScalars.append(scalar)
                }
                return ";\(name)=\(quoted)\""
            }.joined()
    }

    /// The bytes of a link: texts would be compared as Unicode.
    private static func image(_ link: LinkHeader.Link) -> [[UInt8]] {
        [Array(link.target.utf8)] + link.parameters.flatMap { [Array($0.name.utf8), Array($0.value.utf8)] }
    }
}
