# SPDX-License-Identifier: Apache-2.0
"""Convolutions and products, in torch's regions. Usage: convolutions.py ROUNDS"""
import sys

import torch

torch.manual_seed(0)
torch.set_num_threads(4)
layer, pictures = torch.nn.Conv2d(8, 16, 3), torch.rand(4, 8, 96, 96)
total = 0.0
for _ in range(40 * int(sys.argv[1])):
    total += float(torch.relu(layer(pictures)).sum())
print(round(total / 1000))
