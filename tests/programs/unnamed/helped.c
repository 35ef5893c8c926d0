/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the functions of helper.c, one of them three times. */
void solve(int n);
void prepare(int n);

int main(void)
{
    prepare(900);
    for (int i = 0; i < 3; i++)
        solve(900);
    return 0;
}
