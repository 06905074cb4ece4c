// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.bouncycastle.util.Arrays.concatenate;

import java.security.*;
import java.util.*;
import java.util.regex.*;
import org.apache.commons.codec.digest.*;
import org.bouncycastle.crypto.generators.Argon2BytesGenerator;
import org.bouncycastle.crypto.params.Argon2Parameters;

/**
 * Verifies the passwords of a table that CredKit has upgraded, for a login that is written in Java 17.
 * <pre>{@code
 * if (LayeredHash.verify(password, stored, keys) && LayeredHash.needsRehash(stored)) save(LayeredHash.hash(password));
 * }</pre>
 * Reads {@code $argon2id$…} and {@code $layered-argon2id$…} with one lane, as docs/hash-formats.md specifies them. The
 * keys are those of HMAC-MD5 tables, by identifier. Requires Bouncy Castle (bcprov) and Apache Commons Codec.
 */
public final class LayeredHash {
    /** The costs of new hashes, as in the policy of other logins; the maxima of stored ones, KiB and KiB * passes. */
    private static final int MEMORY_KIB = 19456, PASSES = 2, MAXIMUM_KIB = 512 * 1024, MAXIMUM_WORK = 4 * 1024 * 1024;
    private static final Pattern OUTER = Pattern.compile("\\$(layered-)?argon2id\\$v=19\\$m=([1-9]\\d{0,8}),"
        + "t=([1-9]\\d{0,8}),p=1(?:,inner=([A-Za-z0-9+/]+))?\\$([A-Za-z0-9+/]{22})\\$([A-Za-z0-9+/]{22,683})");

    /** Returns whether a password matches. An IllegalArgumentException, for a hash that is not read, is no mismatch. */
    public static boolean verify(byte[] password, String stored, Map<String, byte[]> keys)
        throws GeneralSecurityException {
        Matcher match = OUTER.matcher(stored);
        if (stored.length() > 1024 || !match.matches() || (match.group(1) == null) != (match.group(4) == null)) {
            throw new IllegalArgumentException("not a hash of this kind");
        }
        int memory = Integer.parseInt(match.group(2)), passes = Integer.parseInt(match.group(3));
        if (memory < 8 || memory > MAXIMUM_KIB || (long) memory * passes > MAXIMUM_WORK) {
            throw new IllegalArgumentException("the hash requires too much memory or time");
        }
        byte[] input = password, salt = decode(match.group(5)), digest = decode(match.group(6));
        if (match.group(4) != null) {
            byte[] inner = decode(match.group(4)), older = innerDigest(password, new String(inner, ISO_8859_1), keys);
            input = concatenate(inner, new byte[1], older);
        }
        return MessageDigest.isEqual(argon2id(input, salt, memory, passes, digest.length), digest);
    }

    /** Returns the hash to store after a match, or for a new password. */
    public static String hash(byte[] password) {
        byte[] salt = new byte[16];
        new SecureRandom().nextBytes(salt);
        return "$argon2id$v=19$m=%d,t=%d,p=1$%s$%s".formatted(MEMORY_KIB, PASSES, encode(salt),
            encode(argon2id(password, salt, MEMORY_KIB, PASSES, 32)));
    }

    /** Returns whether to replace a hash that has matched: it is layered, or costs an attacker less than a new one. */
    public static boolean needsRehash(String stored) {
        Matcher match = OUTER.matcher(stored);
        if (!match.matches() || match.group(1) != null) { return true; }
        long memory = Long.parseLong(match.group(2)), work = memory * Long.parseLong(match.group(3));
        return work < (long) MEMORY_KIB * PASSES || work * memory < (long) MEMORY_KIB * PASSES * MEMORY_KIB;
    }

    private static byte[] argon2id(byte[] input, byte[] salt, int memory, int passes, int count) {
        var generator = new Argon2BytesGenerator();
        generator.init(new Argon2Parameters.Builder(Argon2Parameters.ARGON2_id).withSalt(salt).withMemoryAsKB(memory)
            .withIterations(passes).withParallelism(1).build());
        byte[] output = new byte[count];
        generator.generateBytes(input, output);
        return output;
    }

    private static String encode(byte[] data) { return Base64.getEncoder().withoutPadding().encodeToString(data); }
    private static byte[] decode(String text) {
        byte[] data = Base64.getDecoder().decode(text);
        if (!encode(data).equals(text)) { throw new IllegalArgumentException("the Base64 is not canonical"); }
        return data;
    }

    /** Returns the digest of an inner hash, which has zeros for it: characters for crypt(3), bytes for all others. */
    private static byte[] innerDigest(byte[] password, String text, Map<String, byte[]> keys)
        throws GeneralSecurityException {
        Matcher m;
        if ((m = match("\\$hex-(md5|sha1|sha256|sha384|sha512)\\$(?:(position=prefix|position=suffix)?,?"
            + "(?:rounds=(\\d{1,6}|1000000))?,?(?:salt=([A-Za-z0-9+/]+))?\\$)?0+", text)) != null) {
            byte[] salt = decode(Objects.requireNonNullElse(m.group(4), ""));
            boolean isPrefix = "position=prefix".equals(m.group(2));
            byte[] digest = digest(m.group(1), isPrefix ? salt : password, isPrefix ? password : salt);
            for (int rounds = Integer.parseInt(Objects.requireNonNullElse(m.group(3), "1")); rounds > 1; rounds--) {
                digest = digest(m.group(1), HexFormat.of().formatHex(digest).getBytes(ISO_8859_1));
            }
            return digest;
        }
        m = match("\\$hex-hmac-md5\\$keyid=([^$]+)\\$0{32}", text);
        byte[] key = m == null ? null : keys.get(m.group(1));
        if (key != null) { return new HmacUtils(HmacAlgorithms.HMAC_MD5, key).hmac(password); }
        if ((m = match("(?i)\\{(s?)(md5|sha|sha256|sha384|sha512)\\}([A-Z0-9+/]+=*)", text)) != null) {
            byte[] data = Base64.getDecoder().decode(m.group(3)), zeros = new byte[digest(m.group(2)).length];
            boolean isSetting = Integer.signum(data.length - zeros.length) == m.group(1).length();
            if (isSetting) { return digest(m.group(2), password, Arrays.copyOfRange(data, zeros.length, data.length)); }
        }
        m = match("(md5|sha1)\\$(|[^$]{5}|[^$]{12}|[^$]{22}|[^$]*[^$A-Za-z0-9][^$]*)\\$0+", text);
        if (m != null) { return digest(m.group(1), m.group(2).getBytes(ISO_8859_1), password); }
        if (match("\\*0{40}", text) != null) { return digest("sha1", digest("sha1", password)); }
        if ((m = match("(?:\\{(?i:crypt)\\})?((\\$(?:1|apr1|[56](?:\\$rounds=\\d{4,6})?)\\$[./\\w&&[^_]]{1,16}\\$|"
            + "[./\\w&&[^_]]{2}(?=\\.{11}$))\\.+)", text)) != null && password.length < 512
            && new String(password, ISO_8859_1).indexOf(0) < 0) {
            String output = text.startsWith("$apr1$") ? Md5Crypt.apr1Crypt(password.clone(), text)
                : Crypt.crypt(password.clone(), m.group(1));
            if (output.startsWith(m.group(2))) { return output.substring(m.group(2).length()).getBytes(ISO_8859_1); }
        }
        throw new IllegalArgumentException("the inner hash or its key is not supported, or cannot take this password");
    }
    private static Matcher match(String form, String text) {
        Matcher matcher = Pattern.compile(form).matcher(text);
        return matcher.matches() ? matcher : null;
    }
    private static byte[] digest(String name, byte[]... parts) throws GeneralSecurityException {
        return MessageDigest.getInstance(name.replaceFirst("(?i)^sha([0-9])", "SHA-$1")).digest(concatenate(parts));
    }
}
