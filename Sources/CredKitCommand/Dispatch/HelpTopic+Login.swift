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

        For other servers, a profile says where the login is and what its answers
        mean. docs/login-mechanisms.md lists all members of a profile.

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
