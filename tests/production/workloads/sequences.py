# SPDX-License-Identifier: Apache-2.0
"""Write random proteins to t.fasta, and others like them to q.fasta. Usage: sequences.py COUNT"""
import random
import sys

LETTERS = "ACDEFGHIKLMNPQRSTVWY"
chance = random.Random(1)
with open("t.fasta", "w", encoding="ascii") as known, open(
    "q.fasta", "w", encoding="ascii"
) as asked:
    for number in range(int(sys.argv[1])):
        letters = [chance.choice(LETTERS) for _ in range(200)]
        known.write(f">t{number}\n{''.join(letters)}\n")
        for _ in range(40):
            letters[chance.randrange(200)] = chance.choice(LETTERS)
        asked.write(f">q{number}\n{''.join(letters)}\n")
