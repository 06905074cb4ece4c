// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKit
import CredKitClient
import CredKitKeychain
import CredKitTerminal

/// The options that name a proxy and its user. The proxy's password is never given on the command line itself.
struct ProxyOptions: ParsableArguments, InputSource {
    @Option(
        name: [.customShort("x"), .customLong("proxy")],
        help: ArgumentHelp(
            "The proxy, as [scheme://][user@]host[:port] with http, https or socks5h; '' for none. "
                + "(default: $http_proxy, $https_proxy, $all_proxy, which never apply to this computer). Hosts in "
                + "$no_proxy are reached without a proxy.",
            valueName: "url"
        )
    )
    var proxy: TextArgument?

    @Option(
        help: ArgumentHelp(
            "The user name for the proxy. Without --proxy-password-fd and --proxy-password-file, the password is "
                + "read from the keychain, by the proxy's URL and this user name.",
            valueName: "name"
        )
    )
    var proxyUser: TextArgument?

    @Option(
        help: ArgumentHelp("A file descriptor to read the proxy's password from, to its end.", valueName: "n")
    )
    var proxyPasswordFD: Int32?

    @Option(
        help: ArgumentHelp(
            "A file that contains the proxy's password; - is standard input.",
            valueName: "file"
        )
    )
    var proxyPasswordFile: FileArgument?

    /// The source of the password; the keychain if it is not given.
    private var passwordSource: SecretSource {
        SecretSource(
            "proxy-password",
            descriptor: proxyPasswordFD,
            file: proxyPasswordFile,
            alternative: .elsewhere,
            prompt: "Password at the proxy: "
        )
    }

    func validate() throws {
        try passwordSource.validate()
        guard proxyUser?.text.utf8.contains(UInt8(ascii: ":")) != true else {
            throw ValidationError(
                "--proxy-user takes a name without ':' and without the password, which all users of this machine "
                    + "could see: give it with --proxy-password-fd or --proxy-password-file, or store it in the keychain."
            )
        }
        let proxy = try parsedProxy()
        guard proxy != nil || (proxyUser == nil && !passwordSource.isGiven) else {
            throw ValidationError(
                "--proxy-user and the options for the proxy's password require --proxy with a URL."
            )
        }
        guard proxyUser == nil || proxy?.username == nil else {
            throw ValidationError("Give the proxy's user in --proxy or with --proxy-user, but not both.")
        }
        guard !passwordSource.isGiven || user(of: proxy) != nil else {
            throw ValidationError("The proxy's password requires a user: give --proxy-user.")
        }
        // Reject an invalid user, such as a name that contains ':'.
        _ = try selection()
    }

    /// The descriptors that are read, as far as their numbers are known.
    var descriptors: [Int32] { [passwordSource.descriptor].compactMap { $0 } }

    private func user(of proxy: ProxyText?) -> String? { proxyUser?.text ?? proxy?.username }

    /// Parses the URL of `--proxy`; `nil` if the option is missing or empty.
    private func parsedProxy() throws -> ProxyText? {
        guard let proxy, !proxy.text.isEmpty else { return nil }
        let parsed: ProxyText
        do throws(ClientError) {
            parsed = try ProxyText(proxy.text)
        } catch {
            // The message omits the text, which may contain a password.
            throw ValidationError("--proxy: \(error.description).")
        }
        guard parsed.password == nil else {
            throw ValidationError(
                "A password is never given on the command line, where all users of this machine can see it: give the "
                    + "proxy's with --proxy-password-fd or --proxy-password-file, or store it in the keychain."
            )
        }
        return parsed
    }

    /// Returns the proxy of the command line, without its password.
    func selection() throws -> ProxySelection {
        guard let parsed = try parsedProxy() else { return proxy == nil ? .environment : .none }
        return .proxyHonoringNoProxy(
            try Self.proxy(parsed, user: user(of: parsed), password: try SecretBytes(""))
        )
    }

    /// Returns the proxy of the command line with its password; `nil` if there is no proxy, or the proxy has no user.
    /// The password comes from the keychain that `keychain` opens, unless an option names another source.
    func proxyWithPassword(_ keychain: (() async throws -> Keychain)?) async throws -> Proxy? {
        guard let parsed = try parsedProxy(), let user = user(of: parsed) else { return nil }
        if passwordSource.isGiven {
            return try Self.proxy(parsed, user: user, password: passwordSource.read())
        }
        guard let keychain else {
            throw ValidationError(
                "The proxy's user needs a password: give --proxy-password-fd or --proxy-password-file."
            )
        }
        let service = try Self.proxy(parsed, user: nil, password: try SecretBytes("")).description
        guard let password = try await keychain().password(service: service, account: user) else {
            let command = "credkit keychain set \(service) \(ShellQuoting.quote(Array(user.utf8)))"
            throw CommandFailure(
                .refused,
                "the keychain has no password of \(ShellQuoting.quote(Array(user.utf8))) at the proxy \(service): "
                    + "give --proxy-password-fd or --proxy-password-file, or store it with: \(command)"
            )
        }
        return try Self.proxy(parsed, user: user, password: password)
    }

    private static func proxy(_ text: ProxyText, user: String?, password: SecretBytes) throws -> Proxy {
        do throws(ClientError) {
            return try Proxy(
                scheme: text.scheme,
                host: text.host,
                port: text.port,
                credentials: user.map { ProxyCredentials(username: $0, password: password) }
            )
        } catch {
            throw ValidationError("--proxy: \(error.description).")
        }
    }
}
