// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import CredKitTestSupport
import Foundation
import Testing

/// Files that are no table, and tables that look like one of those.
@Suite struct OtherFileTests {
    @Test(
        arguments: [
            ("-- MySQL dump 10.13  Distrib 8.0.36\n", "mariadb -B -e"),
            ("/*M!999999\\- enable the sandbox mode */ \n-- MariaDB dump 10.19\n", "mariadb -B -e"),
            ("/*!40101 SET NAMES utf8 */;\n", "mariadb -B -e"),
            ("\u{FEFF}-- phpMyAdmin SQL Dump\n", "mariadb -B -e"),
            ("--\n-- PostgreSQL database dump\n--\n\n", "psql -d DATABASE -c"),
            ("--\n-- PostgreSQL database dump\n--\n\n\\restrict abc\n", #"'\copy (SELECT id"#),
            ("PRAGMA foreign_keys=OFF;\nBEGIN TRANSACTION;\n", "sqlite3 -csv"),
            ("insert into users values (1, 'x');\n", "dump in SQL"),
            ("CREATE TABLE users (id int);\n", "dump in SQL"),
            ("COPY public.users (id, password) FROM stdin;\n", "psql"),
            ("dn: uid=a,dc=example,dc=com\nuserPassword:: e1NIQX0=\n", "LDIF"),
            ("# extended LDIF\n#\n\nversion: 1\n\ndn: cn=a\n", "LDIF"),
            ("SQLite format 3\0\u{10}", "sqlite3 -csv"), ("PGDMP\u{1}\u{e}", "pg_dump's own format"),
            ("PK\u{3}\u{4}", "save the sheet as CSV"), ("a\0:\0b\0\n\0", "UTF-16LE"),
            ("*************************** 1. row ****\n", "as a client shows it"),
            ("-[ RECORD 1 ]---\n", "as a client shows it"),
            (" id | name \n----+------\n", "as a client shows it"),
            ("<?xml version=\"1.0\"?>\n", "XML or HTML"), (" <TABLE BORDER=1>", "XML or HTML"),
            ("[\n  {\"id\": 1", "jq -r '.[] | "), ("{\"_id\": {\"$oid\": \"5\"}}\n", "jq -r '[.id"),
            ("a:2:{i:0;", "fputcsv"), ("Array\n(\n", "fputcsv"), ("<?php\nreturn", "fputcsv"),
            ("*2\r\n$6\r\nSELECT", "redis-cli --scan"), ("root:\n\tpassword = x\n", "AIX"),
        ] as [(String, String)]
    )
    func filesThatAreNoTableAreRecognized(beginning: String, message: String) throws {
        let shell = try Shell()
        defer { shell.remove() }
        let long = String(repeating: "x", count: 70_000)
        try Data((beginning + long).utf8).write(to: shell.folder.appendingPathComponent("in"))
        for command in ["audit in", "audit - < in", "upgrade --input in --output out"] {
            let outcome = try shell.run("credkit \(command)")
            #expect(outcome.status == 65 && outcome.errors.contains(message), "\(command): \(outcome.errors)")
            #expect(!outcome.errors.contains("longer than"), "\(outcome.errors)")
        }
        #expect(try shell.run("ls -d in* out*").text == "in\n")
    }

    @Test func dumpsAndCompressedFilesOfTheirProgramsAreRecognized() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            """
            echo 'a:\(TableReading.sha)' > t; gzip -k t; xz -k t; iconv -f UTF-8 -t UTF-16 t > wide
            sqlite3 d.db 'CREATE TABLE t (id int, password text)'; sqlite3 d.db .dump > d.sql
            for file in t.gz t.xz wide d.db d.sql; do credkit audit $file; echo $?; done
            """
        )
        #expect(outcome.text == "65\n65\n65\n65\n65\n", "\(outcome.errors)")
        for word in ["gunzip", "unxz", "iconv -f UTF-16LE", "database of SQLite", "dump in SQL"] {
            #expect(outcome.errors.contains(word), "\(word): \(outcome.errors)")
        }
    }

    /// mysqldump, mariadb, pg_dump, pg_dumpall, psql, sqlite3, php, redis-cli, slapcat and ldapsearch write the files; jq, php and
    /// redis-cli make tables of some of them, as the messages say.
    @Test(.enabled(if: TestForm.isDeep))
    func filesOfTheirProgramsAreReadOrRecognized() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let server = try PostgreSQLServer()
        defer { server.stop() }
        let script = TestScripts.path("table_dumps.py")
        let outcome = try shell.run("python3 '\(script)' '\(server.superuserConnectionString)'")
        #expect(outcome.text == "24 tables, 69 other files\n", "\(outcome.errors)")
    }

    /// A column of Keycloak's credentials is JSON as well.
    @Test func credentialsOfKeycloakAreATable() throws {
        let secret =
            #"{\\"value\\":\\"JsfNbCOIdZUbyBJ+BT+VoGI91Ec2rWLOvkLPDaX8e9k=\\","#
            + #"\\"salt\\":\\"P5rtFkGtPfoaryJ6PizUJw==\\",\\"additionalParameters\\":{}}"#
        let data = #"{\\"hashIterations\\":27500,\\"algorithm\\":\\"pbkdf2-sha256\\"}"#
        let credential = #"{"id":"5f2c","secretData":"\#(secret)","credentialData":"\#(data)"}"#
        let result = try TableReading.read(
            "\(credential)\ta\n",
            as: "in.tsv",
            "--hash-column 1 --header no"
        )
        #expect([result.audit.accounts, result.upgrade.layered] == ([1, 1] as [Int]))
    }

    @Test(arguments: [
        "REDIS0011:", "<table:", "[{:", "+--+--+:", "array:",
        "--admin:", "dn:", "version:", "set:", "copy:", "insert:", "BZhang:", "-- :", "/*!:",
        "copy x from stdin:", "insert into x:", "\u{FEFF}-- a:",
    ])
    func usersWithUnusualNamesAreRead(name: String) throws {
        let result = try TableReading.read("\(name)\(TableReading.sha)\n", as: "table", "")
        #expect([result.audit.accounts, result.upgrade.layered] == ([1, 1] as [Int]))
    }

    @Test func zeroByteInAHashIsSaid() throws {
        let shell = try Shell()
        defer { shell.remove() }
        let outcome = try shell.run(
            "printf 'abcd:\(TableReading.sha)\\nb:x\\0y\\n' > in; credkit audit in; credkit upgrade --allow-incompatible \(TableReading.cheap) --input in --output out"
        )
        #expect(outcome.status == 65)
        let messages = outcome.errors.components(separatedBy: "in: record 2: the hash field has a NUL byte")
        #expect(messages.count == 3, "\(outcome.errors)")
    }
}
