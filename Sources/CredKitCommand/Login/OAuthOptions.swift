// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CredKitClient
import CredKitTerminal

/// The options for a login by OAuth in a browser, or with another device.
struct OAuthOptions: ParsableArguments {
    @Flag(help: "Log in with a code on another device, not in the browser.")
    var useDeviceCode = false

    @Flag(help: "Print the URL for the browser, and open none.")
    var noLaunchBrowser = false

    @Option(
        name: .customLong("redirect-uri"),
        help: ArgumentHelp(
            "Where the browser returns to, as registered at the server.",
            valueName: "url"
        )
    )
    var redirectURL: TextArgument?

    @Option(help: ArgumentHelp("The resource that the tokens are for.", valueName: "uri"))
    var resource: TextArgument?

    @Option(help: ArgumentHelp("The account to suggest on the server's page.", valueName: "name"))
    var loginHint: TextArgument?

    @Option(
        help: ArgumentHelp(
            "What the server's page is to ask: login, consent, select_account.",
            valueName: "words"
        )
    )
    var prompt: TextArgument?

    @Option(help: ArgumentHelp("Bind the tokens to a key in the keychain.", valueName: "mode"))
    var dpop: DPoPArgument?

    func validate() throws {
        guard !useDeviceCode || !noLaunchBrowser && redirectURL == nil && loginHint == nil && prompt == nil
        else {
            throw ValidationError(
                "--use-device-code needs no browser: remove --no-launch-browser, --redirect-uri, --login-hint and --prompt."
            )
        }
    }

    /// The name of an option that only a login by OAuth has; `nil` if none is given.
    var given: String? {
        if useDeviceCode { return "--use-device-code" }
        if noLaunchBrowser { return "--no-launch-browser" }
        let values: [(String, Bool)] = [
            ("--redirect-uri", redirectURL != nil), ("--resource", resource != nil),
            ("--login-hint", loginHint != nil), ("--prompt", prompt != nil), ("--dpop", dpop != nil),
        ]
        return values.first(where: { $0.1 })?.0
    }

    /// Applies the options to a profile. One that was discovered has the mode that its server supports.
    func fill(_ profile: inout LoginProfile, isDiscovered: Bool) throws {
        guard let given else { return }
        guard profile.secretKind == .refreshToken else {
            throw ValidationError("\(given) is valid only for logins by OAuth.")
        }
        guard
            !noLaunchBrowser && redirectURL == nil && loginHint == nil && prompt == nil
                || profile.hasBrowserLogin
        else {
            throw ValidationError(
                "\(given) needs a server with a login in the browser (\"authorizationURL\" in a profile)."
            )
        }
        var parameters: [String: String] = [:]
        if let loginHint { parameters["login_hint"] = loginHint.text }
        if let prompt { parameters["prompt"] = prompt.text }
        do throws(ClientError) {
            try profile.set(
                resource: resource?.text,
                redirectURL: redirectURL?.text,
                parameters: parameters,
                dpop: isDiscovered ? nil : dpop?.mode
            )
        } catch {
            throw ValidationError("\(error.description).")
        }
    }
}
