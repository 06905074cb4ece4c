// Part of CredKit. SPDX-License-Identifier: Apache-2.0

#if !Server
import Glibc

/// Replaces the server in builds without it: a package manifest cannot leave out a target by trait.
@main
enum MissingServer {
    private static let message = """
        credkit-server: this build has no server, because the trait Server is off; to build it, run:
        swift build --traits default,Server --product credkit-server

        """

    static func main() {
        let bytes = Array(message.utf8)
        _ = write(STDERR_FILENO, bytes, bytes.count)
        exit(EX_USAGE)
    }
}
#endif
