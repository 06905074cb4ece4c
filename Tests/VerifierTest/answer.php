<?php
// Part of CredKit. SPDX-License-Identifier: Apache-2.0
// Answers with the verifier in PHP; see answer.py.
declare(strict_types=1);
require __DIR__ . '/../../interoperability/php/LayeredHash.php';

while (($line = fgets(STDIN)) !== false) {
    [$password, $stored, $asks] = explode("\t", rtrim($line, "\n"), 3) + [1 => null, 2 => null];
    $password = base64_decode($password);
    try {
        if ($asks !== null) {
            echo LayeredHash::needsRehash($stored) ? "rehash\n" : "keep\n";
        } elseif ($stored === null) {
            echo LayeredHash::hash($password), "\n";
        } else {
            echo LayeredHash::verify($password, $stored, ['app' => '84143']) ? "match\n" : "mismatch\n";
        }
    } catch (UnsupportedHash) {
        echo "refused\n";
    }
}
