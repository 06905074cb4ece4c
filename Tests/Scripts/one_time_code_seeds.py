# Part of CredKit. SPDX-License-Identifier: Apache-2.0
"""Codes of seeds as people type them, computed by pyotp and oathtool.

usage: one_time_code_seeds.py COUNT SEED    random letters, a line each: seed, code of pyotp, code of oathtool
       one_time_code_seeds.py FILE          the same for the lines of a file, after what apps ignore was removed

A code is `-` if the program refuses the seed. All codes are those of the 59th second.
"""
import random
import re
import subprocess
import sys

import pyotp

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"


def of_pyotp(seed):
    try:
        return pyotp.TOTP(seed).at(59)
    except ValueError:
        return "-"


def of_oathtool(seeds):
    """oathtool takes one seed; a shell starts it for each faster than Python."""
    script = 'while read -r seed; do oathtool --totp --now=@59 --base32 "$seed" 2>/dev/null || echo -; done'
    lines = "".join(seed + "\n" for seed in seeds)
    return subprocess.run(["bash", "-c", script], input=lines, capture_output=True, text=True, check=True).stdout.split()


if len(sys.argv) == 3:
    generator = random.Random(int(sys.argv[2]))
    # pyotp refuses seeds of less than 14 bytes.
    typed = ["".join(generator.choices(ALPHABET, k=generator.randint(23, 128))) for _ in range(int(sys.argv[1]))]
else:
    typed = open(sys.argv[1], encoding="utf-8", newline="").read().split("\n")[:-1]
# Neither program ignores dashes and lowercase letters, as authenticator apps do, and both want all padding or none.
bare = [re.sub(r"[-\s]", "", seed).upper().rstrip("=") for seed in typed]
sys.stdout.reconfigure(encoding="utf-8")
for seed, plain, other in zip(typed, bare, of_oathtool(bare), strict=True):
    print(seed, of_pyotp(plain), other, sep="\t")
