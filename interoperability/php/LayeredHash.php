<?php
// Part of CredKit. SPDX-License-Identifier: Apache-2.0
declare(strict_types=1);

/** The text is malformed, costs too much, or is of a scheme that is not read here. It is not a mismatch. */
final class UnsupportedHash extends RuntimeException {}

/**
 * Verifies the passwords of a table that CredKit has upgraded, for a login that is written in PHP.
 *
 *     if (LayeredHash::verify($password, $stored)) {
 *         if (LayeredHash::needsRehash($stored)) {
 *             save(LayeredHash::hash($password));        // "$argon2id$v=19$m=19456,t=2,p=1$…"
 *         }
 *     }
 * Reads `$argon2id$…` and `$layered-argon2id$…` with one lane, as docs/hash-formats.md specifies them. Requires PHP
 * 8.2 and its extension sodium.
 */
final class LayeredHash
{
    /** The costs of new hashes: those of the policy that the other logins to the table have. */
    private const MEMORY_KIB = 19456, PASSES = 2;
    /** What a stored hash may cost: KiB, KiB times passes, and rounds of an inner hash. */
    private const MAXIMUM_KIB = 512 * 1024, MAXIMUM_WORK = 4 * 1024 * 1024, MAXIMUM_ROUNDS = 1_000_000;
    private const OUTER = '~^\$(layered-)?argon2id\$v=19\$m=([1-9]\d{0,9}),t=([1-9]\d{0,9}),p=1'
        . '(?:,inner=([A-Za-z0-9+/]+))?\$([A-Za-z0-9+/]{22})\$([A-Za-z0-9+/]{22,683})$~D';
    private const ALPHABET = './0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

    /** Returns whether a password matches a stored hash. The keys are those of HMAC-MD5 tables, by identifier. */
    public static function verify(#[SensitiveParameter] string $password, string $stored, array $keys = []): bool
    {
        if (strlen($stored) > 1024 || !preg_match(self::OUTER, $stored, $match) || !$match[1] !== ($match[4] === '')) {
            throw new UnsupportedHash('not a hash of this kind');
        }
        [$memory, $passes, $inner, $salt, $digest] = [(int) $match[2], (int) $match[3], ...array_slice($match, 4)];
        if ($memory < 8 || $memory > self::MAXIMUM_KIB || $memory * $passes > self::MAXIMUM_WORK) {
            throw new UnsupportedHash('the hash requires too much memory or time');
        }
        if ($inner !== '') {
            $inner = self::decode($inner);
            $password = $inner . "\0" . self::innerDigest($password, $inner, $keys);
        }
        $costs = [$passes, $memory * 1024, SODIUM_CRYPTO_PWHASH_ALG_ARGON2ID13];
        [$salt, $digest] = [self::decode($salt), self::decode($digest)];
        return hash_equals($digest, sodium_crypto_pwhash(strlen($digest), $password, $salt, ...$costs));
    }

    /** Returns the hash to store after a match, or for a new password. */
    public static function hash(#[SensitiveParameter] string $password): string
    {
        return rtrim(sodium_crypto_pwhash_str($password, self::PASSES, self::MEMORY_KIB * 1024), "\0");
    }

    /** Returns whether to replace a hash that has matched: it is layered, or costs an attacker less than a new one. */
    public static function needsRehash(string $stored): bool
    {
        if (!preg_match(self::OUTER, $stored, $match) || $match[1]) { return true; }
        [$work, $new] = [$match[2] * $match[3], self::MEMORY_KIB * self::PASSES];
        return $work < $new || $work * $match[2] < $new * self::MEMORY_KIB;
    }

    private static function decode(string $text, string $padding = '='): string
    {
        $data = base64_decode($text, true);
        if ($data === false || rtrim(base64_encode($data), $padding) !== $text) {
            throw new UnsupportedHash('the Base64 is not canonical');
        }
        return $data;
    }

    /** Returns the digest of an inner hash, which has zeros for it: characters for crypt(3) and phpass, else bytes. */
    private static function innerDigest(string $password, string $text, array $keys): string
    {
        $form = '~^\$hex-(md5|sha1|sha256|sha384|sha512)\$(?:(position=prefix|position=suffix)?,?'
            . '(?:rounds=(\d{1,7}))?,?(?:salt=([A-Za-z0-9+/]+))?\$)?0+$~D';
        if (preg_match($form, $text, $match) && ($match[3] ?? 0) <= self::MAXIMUM_ROUNDS) {
            $salt = self::decode($match[4] ?? '');
            $digest = hash($match[1], ($match[2] ?? '') === 'position=prefix' ? $salt . $password : $password . $salt);
            for ($rounds = (int) ($match[3] ?? 1); $rounds > 1; $rounds--) { $digest = hash($match[1], $digest); }
            return hex2bin($digest);
        }
        $isHMAC = preg_match('~^\$hex-hmac-md5\$keyid=([^$]+)\$0{32}$~D', $text, $match) && isset($keys[$match[1]]);
        if ($isHMAC) { return hash_hmac('md5', $password, $keys[$match[1]], true); }
        if (preg_match('~^\{(s?)(md5|sha|sha256|sha384|sha512)\}([A-Z0-9+/]+=*)$~Di', $text, $match)) {
            $name = strtolower($match[2]) === 'sha' ? 'sha1' : strtolower($match[2]);
            [$data, $count] = [self::decode($match[3], ''), strlen(hash($name, '', true))];
            if (str_starts_with($data, str_repeat("\0", $count)) && (strlen($data) <=> $count) === strlen($match[1])) {
                return hash($name, $password . substr($data, $count), true);
            }
        }
        $form = '~^(md5|sha1)\$(|[^$]{5}|[^$]{12}|[^$]{22}|[^$]*[^$A-Za-z0-9][^$]*)\$0+$~D';
        if (preg_match($form, $text, $m)) { return hash($m[1], $m[2] . $password, true); }
        $form = '~^pbkdf2_(sha1|sha256)\$([1-9]\d{0,6})\$([^$]+)\$A+=*$~D';
        if (preg_match($form, $text, $m)) { return hash_pbkdf2($m[1], $password, $m[3], (int) $m[2], 0, true); }
        if ($text === '*' . str_repeat('0', 40)) { return sha1(sha1($password, true), true); }
        if (preg_match('~^\$[PH]\$([5-9A-J])([./0-9A-Za-z]{8})\.{22}$~D', $text, $match)) {
            $hash = md5($match[2] . $password, true);
            for ($i = 1 << strpos(self::ALPHABET, $match[1]); $i > 0; $i--) { $hash = md5($hash . $password, true); }
            return self::encode($hash);
        }
        $form = '~^(?:\{(?i:crypt)\})?((\$(?:1|[56](?:\$rounds=\d{4,6})?)\$[^$]{0,16}\$|[./\w]{2}(?=\.{11}$))\.+)$~D';
        if (preg_match($form, $text, $match) && !str_contains($password, "\0") && strlen($password) < 512) {
            $output = crypt($password, $match[1]);
            if (str_starts_with($output, $match[2])) { return substr($output, strlen($match[2])); }
        }
        throw new UnsupportedHash('the inner hash, or this password for it, is not supported, or its key is missing');
    }

    /** Encodes bytes as crypt(3) does, the lowest bits first. */
    private static function encode(string $data): string
    {
        $text = '';
        for ($bit = 0; $bit < 8 * strlen($data); $bit += 6) {
            $pair = ord($data[$bit >> 3]) | ord($data[($bit >> 3) + 1] ?? "\0") << 8;
            $text .= self::ALPHABET[$pair >> ($bit & 7) & 63];
        }
        return $text;
    }
}
