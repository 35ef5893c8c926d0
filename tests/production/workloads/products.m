# SPDX-License-Identifier: Apache-2.0
% Matrix products, in Octave on OpenBLAS. Usage: products.m ROUNDS
rounds = str2num(argv(){1});
a = mod(reshape(1:360000, 600, 600), 7);
total = 0;
for k = 1:(40 * rounds)
  a = mod(a * a', 7);
  total = total + sum(a(:));
end
printf("%d\n", total);
