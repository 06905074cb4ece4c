// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// In place of the error of the same name, which needs most of the library.
public struct ClientError: Error {
    static func invalidURL(_ text: String) -> ClientError { ClientError() }
}
