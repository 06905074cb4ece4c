// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal

/// The options for the certificates and keys of the server and of this client, named as in curl.
struct CertificateOptions: ParsableArguments, InputSource {
    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificates to trust instead of the system's.",
            valueName: "file"
        )
    )
    var cacert: FileArgument?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the certificate to present to servers that ask for one.",
            valueName: "file"
        )
    )
    var cert: FileArgument?

    @Option(
        help: ArgumentHelp(
            "A PEM file with the private key of --cert, which only you can read (default: the same file).",
            valueName: "file"
        )
    )
    var key: FileArgument?

    @Option(
        name: .customLong("pinnedpubkey"),
        help: ArgumentHelp(
            "The public key that the server must have, as sha256//BASE64; separate several with ';'.",
            valueName: "hash"
        )
    )
    var pinnedPublicKeys: TextArgument?

    func validate() throws {
        for (name, file) in [("--cacert", cacert), ("--cert", cert), ("--key", key)] {
            guard file?.isStandardInput != true else {
                throw ValidationError("\(name) takes a file; use /dev/stdin for standard input.")
            }
        }
        guard key == nil || cert != nil else {
            throw ValidationError("--key, the private key of a client certificate, requires --cert.")
        }
    }

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { [cacert, cert, key].compactMap { $0?.descriptor } }

    /// Refuses files that other users can change: they decide which server is the right one, or who this client is.
    func refuseIfOthersCanChange() throws {
        for file in [cacert, cert, key].compactMap({ $0 }) { try InputFile.refuseIfOthersCanChange(file) }
    }

    /// Applies the options to connection settings.
    func fill(_ settings: inout ConnectionSettings) throws {
        if let cacert { settings.trustedCertificates = .file(try cacert.text()) }
        if let cert {
            settings.clientCertificate = .init(certificatePath: try cert.text(), keyPath: try key?.text())
        }
        guard let pinnedPublicKeys else { return }
        do throws(ClientError) {
            settings.pinnedPublicKeys = try PublicKeyPin.list(pinnedPublicKeys.text)
        } catch {
            throw ValidationError("--pinnedpubkey: \(error.description).")
        }
    }
}
