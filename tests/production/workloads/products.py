# SPDX-License-Identifier: Apache-2.0
"""Matrix products, in OpenBLAS's threads. Usage: products.py ROUNDS"""
import sys

import numpy as np

a = np.arange(600 * 600, dtype=float).reshape(600, 600) % 7
total = 0.0
for _ in range(60 * int(sys.argv[1])):
    a = (a @ a.T) % 7
    total += a.sum()
print(total)
