// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import Glibc

/// The URL parser of libcurl, which is loaded like CredKit loads it.
struct CurlURL: Equatable {
    let scheme, host, port, path: String
    let query: String?

    /// Parses a URL; `nil` if libcurl rejects it.
    init?(_ text: String) {
        guard let library = Self.library, !text.utf8.contains(0), let handle = library.create() else {
            return nil
        }
        defer { library.cleanUp(handle) }
        let status = text.withCString { library.set(handle, Part.url.rawValue, $0, Self.pathAsIs) }
        guard status == 0, let scheme = library.text(handle, .scheme), let host = library.text(handle, .host),
            let port = library.text(handle, .port), let path = library.text(handle, .path)
        else { return nil }
        (self.scheme, self.host, self.port, self.path) = (scheme, host, port, path)
        query = library.text(handle, .query)
    }

    static var isAvailable: Bool { library != nil }

    private static let pathAsIs: UInt32 = 1 << 4
    private static let defaultPort: UInt32 = 1 << 0
    private static let library = Library()

    /// The numbers of `CURLUPart`.
    private enum Part: Int32 {
        case url = 0
        case scheme = 1
        case host = 5
        case port = 6
        case path = 7
        case query = 8
    }

    private struct Library: @unchecked Sendable {
        let create: @convention(c) () -> OpaquePointer?
        let cleanUp: @convention(c) (OpaquePointer) -> Void
        let set: @convention(c) (OpaquePointer, Int32, UnsafePointer<CChar>, UInt32) -> Int32
        let get:
            @convention(c) (OpaquePointer, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, UInt32)
                -> Int32
        let release: @convention(c) (UnsafeMutableRawPointer?) -> Void

        init?() {
            guard let library = dlopen("libcurl.so.4", RTLD_NOW),
                let create = dlsym(library, "curl_url"), let cleanUp = dlsym(library, "curl_url_cleanup"),
                let set = dlsym(library, "curl_url_set"), let get = dlsym(library, "curl_url_get"),
                let release = dlsym(library, "curl_free")
            else { return nil }
            self.create = unsafeBitCast(create, to: (@convention(c) () -> OpaquePointer?).self)
            self.cleanUp = unsafeBitCast(cleanUp, to: (@convention(c) (OpaquePointer) -> Void).self)
            self.set = unsafeBitCast(
                set,
                to: (@convention(c) (OpaquePointer, Int32, UnsafePointer<CChar>, UInt32) -> Int32).self
            )
            self.get = unsafeBitCast(
                get,
                to: (@convention(c) (
                    OpaquePointer, Int32, UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>, UInt32
                ) -> Int32).self
            )
            self.release = unsafeBitCast(
                release,
                to: (@convention(c) (UnsafeMutableRawPointer?) -> Void).self
            )
        }

        func text(_ handle: OpaquePointer, _ part: Part) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard get(handle, part.rawValue, &text, CurlURL.defaultPort) == 0, let text else { return nil }
            defer { release(text) }
            return String(cString: text)
        }
    }
}
