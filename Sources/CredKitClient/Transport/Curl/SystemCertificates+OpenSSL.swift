// Part of CredKit. SPDX-License-Identifier: Apache-2.0

internal import CCredKitOpenSSL
internal import Glibc

/// Finds the system's certificates of authorities.
enum SystemCertificates {
    /// The folder with one file per authority, named after the hash of its subject, as OpenSSL looks them up;
    /// `nil` if there is none and libcurl's bundle is used.
    static let folder: String? = {
        guard let path = unsafe X509_get_default_cert_dir().map({ unsafe String(cString: $0) }),
            let entries = unsafe opendir(path)
        else { return nil }
        defer { unsafe closedir(entries) }
        while let entry = unsafe readdir(entries) {
            let isHash = unsafe withUnsafePointer(to: &entry.pointee.d_name) { name in
                unsafe name.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    unsafe strlen(name) == 10 && String(cString: name).hasSuffix(".0")
                }
            }
            if isHash { return path }
        }
        return nil
    }()
}
