// Part of CredKit. SPDX-License-Identifier: Apache-2.0

/// The unit of systemd that `credkit-server init` writes. `packaging/credkit-server.service` is the same for `/etc/credkit-server`.
enum ServiceUnit {
    /// Returns the unit.
    ///
    /// - Parameters:
    ///   - program: The path of the program.
    ///   - folder: The path of the folder with the files of the server.
    /// - Returns: The text of the unit.
    static func text(program: String, folder: String) -> String {
        """
        # Part of CredKit. SPDX-License-Identifier: Apache-2.0
        #
        # Runs credkit-server behind a reverse proxy on this machine, with the files of 'credkit-server init \(folder)'.

        [Unit]
        Description=CredKit login server
        After=network.target
        ConditionPathExists=\(folder)/credkit-server.conf

        [Service]
        Type=notify
        ExecStart=\(program) --config %d/credkit-server.conf
        # Reads the copies again: after a change of the users, restart.
        ExecReload=/bin/kill -HUP $MAINPID
        # Running requests are completed in 10 seconds.
        TimeoutStopSec=15
        Restart=on-failure
        RestartSec=2

        # Copies that only this service can read, in one folder. They are made when the service starts.
        LoadCredential=credkit-server.conf:\(folder)/credkit-server.conf
        LoadCredential=users:\(folder)/users
        LoadCredential=mock-key:\(folder)/mock-key
        LoadCredential=state-key:\(folder)/state-key
        # For TLS of its own, with the options tls-cert and tls-key.
        #LoadCredential=certificate.pem:\(folder)/certificate.pem
        #LoadCredential=certificate-key.pem:\(folder)/certificate-key.pem
        # For the legacy login, with the options mechanism timestamp and key-phrase-file.
        #LoadCredential=key-phrase:\(folder)/key-phrase

        DynamicUser=yes
        # For passkeys, with the option passkeys /var/lib/credkit-server/passkeys.json.
        StateDirectory=credkit-server
        StateDirectoryMode=0700
        UMask=0077
        NoNewPrivileges=yes
        CapabilityBoundingSet=
        AmbientCapabilities=
        LimitCORE=0
        LimitNOFILE=4096
        # Secrets are kept out of the swap.
        LimitMEMLOCK=64M

        ProtectSystem=strict
        ProtectHome=yes
        PrivateTmp=yes
        PrivateDevices=yes
        PrivateUsers=yes
        PrivateIPC=yes
        ProtectHostname=yes
        ProtectClock=yes
        ProtectKernelTunables=yes
        ProtectKernelModules=yes
        ProtectKernelLogs=yes
        ProtectControlGroups=yes
        ProtectProc=invisible
        ProcSubset=pid
        RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6
        RestrictNamespaces=yes
        RestrictRealtime=yes
        RestrictSUIDSGID=yes
        RemoveIPC=yes
        LockPersonality=yes
        MemoryDenyWriteExecute=yes
        KeyringMode=private
        SystemCallArchitectures=native
        SystemCallFilter=@system-service
        SystemCallFilter=~@privileged @resources
        SystemCallErrorNumber=EPERM
        # Peers beyond this machine come through the proxy.
        IPAddressDeny=any
        IPAddressAllow=localhost

        [Install]
        WantedBy=multi-user.target

        """
    }
}
