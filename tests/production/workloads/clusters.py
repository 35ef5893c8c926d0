# SPDX-License-Identifier: Apache-2.0
"""Clusters and a classifier, in scikit-learn's own regions. Usage: clusters.py ROUNDS"""
import sys

import numpy as np
from sklearn.cluster import KMeans
from sklearn.ensemble import HistGradientBoostingClassifier

points = np.random.RandomState(0).rand(20000, 8)
kinds = (points[:, 0] + points[:, 1] > 1).astype(int)
for seed in range(int(sys.argv[1])):
    print(f"{KMeans(8, n_init=2, random_state=seed).fit(points).inertia_:.1f}")
    made = HistGradientBoostingClassifier(max_iter=20, random_state=seed).fit(points, kinds)
    print(f"{made.score(points, kinds):.3f}")
