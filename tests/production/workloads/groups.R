# SPDX-License-Identifier: Apache-2.0
# Sums by group and a sort, in data.table's regions, and a product. Usage: groups.R ROUNDS
library(data.table)
rounds <- as.integer(commandArgs(trailingOnly = TRUE)[1])
setDTthreads(4)
set.seed(1)
rows <- data.table(group = sample(1000L, 1e6, TRUE), value = as.numeric(sample(100L, 1e6, TRUE)))
for (round in seq_len(rounds)) {
  sums <- rows[, .(total = sum(value)), by = group][order(group)]
  setorder(rows, value, group)
  setorder(rows, group, value)
  print(sums[, sum(total)])
  m <- matrix(as.numeric(1:490000) %% 5, 700)
  print(sum(m %*% m))
}
