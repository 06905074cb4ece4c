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
 *
 * <pre>{@code
 * if (LayeredHash.verify(password, stored, Map.of()) && LayeredHash.needsRehash(stored)) {
 *     save(LayeredHash.hash(password));                       // "$argon2id$v=19$m=19456,t=2,p=1$…"
 * }
 * }</pre>
 *
 * Reads {@code $argon2id$…} and {@code $layered-argon2id$…} with one lane, as docs/hash-formats.md specifies them. The
 * keys are those of HMAC-MD5 tables, by identifier. Requires Bouncy Castle (bcprov) and Apache Commons Codec.
 */
public final class LayeredHash {
    private static final String CURRENT = "$argon2id$v=19$m=19456,t=2,p=1$", BASE64 = "([A-Za-z0-9+/]+)";
    private static final Pattern OUTER = Pattern.compile("\\$(layered-)?argon2id\\$v=19\\$m=([1-9]\\d{0,8}),"
        + "t=([1-9]\\d{0,8}),p=1(?:,inner=" + BASE64 + ")?\\$" + BASE64 + "\\$" + BASE64);

    /** Returns whether a password matches. An IllegalArgumentException, for a hash that is not read, is no mismatch. */
    public static boolean verify(byte[] password, String stored, Map<String, byte[]> keys)
        throws GeneralSecurityException {
        Matcher match = OUTER.matcher(stored);
        if (stored.length() > 1024 || !match.matches() || (match.group(1) == null) != (match.group(4) == null)) {
            throw new IllegalArgumentException("not a hash of this kind");
        }
        int memory = Integer.parseInt(match.group(2)), passes = Integer.parseInt(match.group(3));
        if (memory < 8 || memory > 512 * 1024 || passes > 64) {
            throw new IllegalArgumentException("the hash requires too much memory or time");
        }
        byte[] input = password, salt = decode(match.group(5)), digest = decode(match.group(6));
        if (match.group(4) != null) {
            byte[] inner = decode(match.group(4));
            byte[] older = innerDigest(password, new String(inner, ISO_8859_1), keys);
            input = concatenate(inner, new byte[1], older);
        }
        return MessageDigest.isEqual(argon2id(input, salt, memory, passes, digest.length), digest);
    }

    /** Returns the hash to store after a match, or for a new password. */
    public static String hash(byte[] password) {
        byte[] salt = new byte[16];
        new SecureRandom().nextBytes(salt);
        return CURRENT + encode(salt) + "$" + encode(argon2id(password, salt, 19456, 2, 32));
    }

    /** Returns whether a hash that has matched should be replaced by a new one. */
    public static boolean needsRehash(String stored) { return !stored.startsWith(CURRENT); }

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
        if (encode(data).equals(text)) { return data; }
        throw new IllegalArgumentException("the Base64 is not canonical");
    }

    /** Returns the digest of an inner hash: characters for crypt(3), bytes for all others. */
    private static byte[] innerDigest(byte[] password, String text, Map<String, byte[]> keys)
        throws GeneralSecurityException {
        Matcher m;
        if ((m = match("\\$hex-(md5|sha1|sha256|sha384|sha512)\\$(?:(position=prefix|position=suffix)?,?"
            + "(?:rounds=(\\d{1,6}|1000000))?,?(?:salt=([A-Za-z0-9+/]+))?\\$)?[0-9a-f]+", text)) != null) {
            byte[] salt = decode(m.group(4) == null ? "" : m.group(4));
            boolean isPrefix = "position=prefix".equals(m.group(2));
            byte[] digest = digest(m.group(1), isPrefix ? salt : password, isPrefix ? password : salt);
            for (int rounds = m.group(3) == null ? 1 : Integer.parseInt(m.group(3)); rounds > 1; rounds--) {
                digest = digest(m.group(1), HexFormat.of().formatHex(digest).getBytes(ISO_8859_1));
            }
            return digest;
        }
        if ((m = match("\\$hex-hmac-md5\\$keyid=([^$]+)\\$.{32}", text)) != null && keys.containsKey(m.group(1))) {
            return new HmacUtils(HmacAlgorithms.HMAC_MD5, keys.get(m.group(1))).hmac(password);
        }
        if ((m = match("\\{S?(MD5|SHA|SHA256|SHA384|SHA512)\\}([A-Za-z0-9+/=]+)", text)) != null) {
            byte[] whole = Base64.getDecoder().decode(m.group(2));
            return digest(m.group(1), password, Arrays.copyOfRange(whole, digest(m.group(1)).length, whole.length));
        }
        if ((m = match("(md5|sha1)\\$([^$]*)\\$[0-9a-f]+", text)) != null) {
            return digest(m.group(1), m.group(2).getBytes(ISO_8859_1), password);
        }
        if (match("\\*[0-9A-F]{40}", text) != null) { return digest("sha1", digest("sha1", password)); }
        String form = "(\\$(?:1|apr1|[56](?:\\$rounds=\\d{4,6})?)\\$[^$]{0,16}\\$|[./\\w]{2}(?=.{11}$))[./\\w]+";
        if ((m = match(form, text)) != null && password.length < 512
            && new String(password, ISO_8859_1).indexOf(0) < 0) {
            return Crypt.crypt(password.clone(), text).substring(m.end(1)).getBytes(ISO_8859_1);
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
