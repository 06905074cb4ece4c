// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal

/// Which certificates and keys a server must have, and which this client has. The options are curl's.
struct CertificateOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The certificates to trust, a file in PEM, in place of the system's.",
            valueName: "file"
        )
    )
    var cacert: FileArgument?

    @Option(
        help: ArgumentHelp(
            "The certificate to present to servers that ask for one, a file in PEM.",
            valueName: "file"
        )
    )
    var cert: FileArgument?

    @Option(
        help: ArgumentHelp(
            "The private key of --cert, a file in PEM that only you can read (default: in the same file).",
            valueName: "file"
        )
    )
    var key: FileArgument?

    @Option(
        name: .customLong("pinnedpubkey"),
        help: ArgumentHelp(
            "The public key that the server must have, as sha256//BASE64; several with ';' between them.",
            valueName: "hash"
        )
    )
    var pinnedPublicKeys: TextArgument?

    func validate() throws {
        for (name, file) in [("--cacert", cacert), ("--cert", cert), ("--key", key)] {
            guard file?.isStandardInput != true else {
                throw ValidationError("\(name) takes a file; for standard input there is /dev/stdin.")
            }
        }
        guard key == nil || cert != nil else {
            throw ValidationError(
                "--key is the private key of a client certificate and goes with --cert; a key phrase is --key-phrase."
            )
        }
    }

    /// The descriptors that are read, as far as they are known by their numbers.
    var descriptors: [Int32] { [cacert, cert, key].compactMap { $0?.descriptor } }

    /// Set what the command line says.
    func fill(_ settings: inout ConnectionSettings) throws {
        if let cacert { settings.trustedCertificates = .file(try cacert.text()) }
        if let cert {
            settings.clientCertificate = .init(certificatePath: try cert.text(), keyPath: try key?.text())
        }
        guard let pinnedPublicKeys else { return }
        do throws(LoginError) {
            settings.pinnedPublicKeys = try PublicKeyPin.list(pinnedPublicKeys.text)
        } catch {
            throw ValidationError("--pinnedpubkey: \(error.description).")
        }
    }
}
