# SPDX-License-Identifier: Apache-2.0
"""Nearest neighbours of points, in faiss's regions. Usage: neighbours.py ROUNDS"""
import sys

import faiss
import numpy as np

points = np.random.RandomState(0).rand(20000, 32).astype("float32")
lists = faiss.IndexFlatL2(32)
index = faiss.IndexIVFFlat(lists, 32, 64)
index.train(points)
index.add(points)
index.nprobe = 16
for number in range(2 * int(sys.argv[1])):
    _, found = index.search(points[number * 100 :][:4000], 5)
    print(found[:, 0].sum())
