// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes

/// Which fields of a response are stored, RFC 9111 sections 3.1 and 3.2.
enum StoredFields {
    /// Fields about one connection, about a proxy, or with credentials. Those of a stored response are neither
    /// valid for another request nor worth the risk of a file.
    private static let transient: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "transfer-encoding", "upgrade", "trailer",
        "proxy-authenticate", "proxy-authentication-info", "proxy-authorization", "authentication-info",
        "set-cookie", "set-cookie2",
    ]

    /// Fields that the rules depend on. `Connection` must not name them, RFC 9110 section 7.6.1; a response
    /// that loses one of them would count as fresh for longer.
    static let indispensable: Set<String> = [
        "cache-control", "vary", "date", "expires", "age", "etag", "last-modified", "content-encoding",
    ]

    /// Fields that describe the stored bytes, which a response without content cannot change.
    private static let ofStoredContent: Set<String> = ["content-length", "content-encoding", "content-range"]

    /// Selects the fields that may be stored.
    ///
    /// - Parameters:
    ///   - fields: Those of the response.
    ///   - secrets: Names of fields that contain credentials.
    /// - Returns: The fields in the order of the response.
    static func storable(_ fields: HTTPFields, secrets: Set<HTTPField.Name>) -> HTTPFields {
        let named = Set(FieldList(fields[values: .connection]).elements.map(ASCIIText.lowercased))
        let dropped = named.subtracting(indispensable).union(transient)
        return withoutUnvalidated(
            fields.dropping { dropped.contains($0.canonicalName) || secrets.contains($0) }
        )
    }

    /// Updates the fields of a stored response by a 304 or a response to HEAD.
    ///
    /// - Parameters:
    ///   - stored: The fields of the stored response.
    ///   - received: The fields of the new response.
    ///   - secrets: Names of fields that contain credentials.
    /// - Returns: The fields to store.
    static func updated(
        _ stored: HTTPFields,
        by received: HTTPFields,
        secrets: Set<HTTPField.Name>
    ) -> HTTPFields {
        let new = storable(received, secrets: secrets).dropping { ofStoredContent.contains($0.canonicalName) }
        // An Age or Date of before says nothing about the new response.
        var replaced = Set(new.map(\.name))
        replaced.formUnion([.age, .date])
        var fields = stored.dropping { replaced.contains($0) }
        for field in new { fields.append(field) }
        return withoutUnvalidated(fields)
    }

    /// Removes the fields that the qualified form of `no-cache` names.
    private static func withoutUnvalidated(_ fields: HTTPFields) -> HTTPFields {
        let names = CacheControl(response: fields).noCacheFields
        return names.isEmpty ? fields : fields.dropping { names.contains($0.canonicalName) }
    }
}

extension HTTPFields {
    /// Returns the fields without those of some names.
    fileprivate func dropping(_ isDropped: (HTTPField.Name) -> Bool) -> HTTPFields {
        var fields = HTTPFields()
        for field in self where !isDropped(field.name) { fields.append(field) }
        return fields
    }
}
