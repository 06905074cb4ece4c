// Part of CredKit. SPDX-License-Identifier: Apache-2.0

import java.util.Base64;
import java.util.Map;
import java.util.Scanner;

/** Answers with the verifier in Java; see answer.py. */
final class Answer {
    public static void main(String[] arguments) throws Exception {
        var keys = Map.of("app", "84143".getBytes());
        var input = new Scanner(System.in);
        while (input.hasNextLine()) {
            String[] fields = input.nextLine().split("\t", -1);
            byte[] password = Base64.getDecoder().decode(fields[0]);
            try {
                if (fields.length == 3) {
                    System.out.println(LayeredHash.needsRehash(fields[1]) ? "rehash" : "keep");
                } else if (fields.length == 1) {
                    System.out.println(LayeredHash.hash(password));
                } else {
                    System.out.println(LayeredHash.verify(password, fields[1], keys) ? "match" : "mismatch");
                }
            } catch (IllegalArgumentException refusal) {
                System.out.println("refused");
            }
        }
    }
}
