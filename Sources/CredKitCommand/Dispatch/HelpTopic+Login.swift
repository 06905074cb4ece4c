// Part of CredKit. SPDX-License-Identifier: Apache-2.0

extension HelpTopic {
    /// How to log in, by examples that tests run.
    static let loginText = """
        How to log in, by examples. 'credkit login --help' lists the options.

        Without --mechanism the server is asked what it offers, before a password is
        asked for. scram is taken before all others, and oauth with --client-id. If
        there are several others, credkit names them and ends with status 64. basic
        and form, which show the password to the server, are chosen for you only over
        https or to this computer. The session keeps the way for later renewals.

          timestamp  a proof of the password for the server's minute (legacy)
          scram      proofs; the server proves itself too, and sees no password
          form       name and password to /login.php
          basic      name and password with each request
          bearer     a token with each request; no --user is needed
          oauth      tokens that are renewed, of --issuer, for --client-id

        With oauth, the server's page opens in the browser, which brings the answer to
        a port of this computer. Over ssh and without a display, the command shows a
        code to enter on another device. docs/oauth-profiles.md has the profiles of
        GitHub, GitLab, Forgejo, Google, Microsoft Entra, Okta and Keycloak.

          --use-device-code     a code to enter on another device, in any case
          --no-launch-browser   print the URL for the browser, and open none
          --redirect-uri URL    where the browser returns to, as registered
          --resource URI        the resource that the tokens are for
          --login-hint NAME     the account to suggest on the server's page
          --prompt WORDS        what to ask there: login, consent, select_account
          --dpop MODE           bind the tokens to a key: preferred or required

        For other servers, a profile says where the login is and what its answers
        mean. docs/login-mechanisms.md lists all members of a profile.

        A form whose answer sets a cookie:

          echo '{"scheme": "form", "loginPath": "/login",
            "success": {"status": 200}, "logoutPath": "/logout"}' > form.json
          credkit login https://form.example --user alice --profile form.json
          credkit request https://form.example/profile

        A token of GitLab:

          echo '{"scheme": "bearer", "checkPath": "/api/v4/user",
            "tokenHeader": "PRIVATE-TOKEN"}' > gitlab.json
          credkit login https://gitlab.example --profile gitlab.json
          credkit request https://gitlab.example/api/v4/user

        A token of Forgejo or Gitea:

          echo '{"scheme": "bearer", "checkPath": "/api/v1/user",
            "tokenPrefix": "token "}' > forgejo.json
          credkit login https://forgejo.example --profile forgejo.json
          credkit request https://forgejo.example/api/v1/user

        A form with a CSRF token, as Django has it:

          echo '{"scheme": "form", "loginPath": "/accounts/login/",
            "csrf": {"path": "/accounts/login/", "input": "csrfmiddlewaretoken"},
            "success": {"status": 302}, "logoutPath": "", "tokenHeader": "",
            "expired": {"loginPages": ["/accounts/login/"]}}' > django.json
          credkit login https://django.example --user alice --profile django.json
          credkit request https://django.example/profile

        A login by JSON, whose answer has a bearer token:

          echo '{"scheme": "form", "loginPath": "/api/login", "body": "json",
            "tokenMember": "access_token", "logoutPath": ""}' > api.json
          credkit login https://api.example --user alice --profile api.json
          credkit request https://api.example/api/me

        Basic, where only some paths need a login:

          echo '{"scheme": "basic", "checkPath": "/private/"}' > basic.json
          credkit login https://basic.example --user alice --profile basic.json
          credkit request https://basic.example/private/

        SCRAM, as credkit-server has it:

          credkit login https://scram.example --user alice --mechanism scram
          credkit request https://scram.example/data
        """
}
