# SPDX-License-Identifier: Apache-2.0
"""Trees, in xgboost's regions. Usage: boosting.py ROUNDS"""
import sys

import numpy as np
import xgboost

points = np.random.RandomState(0).rand(20000, 10)
data = xgboost.DMatrix(points, (points[:, 0] + points[:, 1] > 1).astype(int))
settings = {"nthread": 4, "objective": "binary:logistic", "tree_method": "hist", "seed": 0}
made = xgboost.train(settings, data, 40 * int(sys.argv[1]))
print(f"{made.predict(data).sum():.1f}")
