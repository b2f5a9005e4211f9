/* One training pass of the kernel Perceptron and of kernel NORMA, with the Gaussian kernel and a budget, in plain C:
 * the baseline of the kernel heats.
 *
 *     f(x) = s sum_i c_i exp(-gamma |x - z_i|^2);   the newest support vector replaces the oldest
 *
 * The compiler vectorises exp with libmvec. Nothing is checked. Each function returns the number of mistakes
 * (y f(x) <= 0). Support vectors are stored transposed. There are two versions, because the faster one depends on the
 * sizes: `rows` stores one row per feature and sums the distances feature by feature; `tiles` keeps the distances of
 * sixteen support vectors in registers. */

#include <math.h>
#include <stddef.h>

#define TILE 16

static double score_rows(size_t slots, size_t columns, const double *restrict z, const double *restrict c,
                         double gamma, const double *restrict x, double *restrict apart)
{
    for (size_t j = 0; j < slots; j++)
        apart[j] = 0.0;
    size_t i = 0;
    for (; i + 2 <= columns; i += 2) {
        const double a = x[i], b = x[i + 1];
        const double *restrict p = z + i * slots, *restrict q = p + slots;
        for (size_t j = 0; j < slots; j++)
            apart[j] += (p[j] - a) * (p[j] - a) + (q[j] - b) * (q[j] - b);
    }
    for (; i < columns; i++)
        for (size_t j = 0; j < slots; j++)
            apart[j] += (z[i * slots + j] - x[i]) * (z[i * slots + j] - x[i]);
    double total = 0.0;
    for (size_t j = 0; j < slots; j++)
        total += c[j] * exp(-gamma * apart[j]);
    return total;
}

typedef double lanes __attribute__((vector_size(8 * sizeof(double)), aligned(sizeof(double))));

static double score_tiles(size_t slots, size_t columns, const double *restrict z, const double *restrict c,
                          double gamma, const double *restrict x, double *restrict apart)
{
    for (size_t t = 0; t < slots; t += TILE) {
        const lanes *restrict tile = (const lanes *)(z + t * columns);
        lanes low = {0.0}, high = {0.0};
        for (size_t i = 0; i < columns; i++) {
            const lanes p = tile[2 * i] - x[i], q = tile[2 * i + 1] - x[i];
            low += p * p;
            high += q * q;
        }
        *(lanes *)(apart + t) = low;
        *(lanes *)(apart + t + TILE / 2) = high;
    }
    double total = 0.0;
    for (size_t j = 0; j < slots; j++)
        total += c[j] * exp(-gamma * apart[j]);
    return total;
}

/* slots is the budget rounded up to whole tiles; alpha = 1, lambda = 0, rho = 0 gives the Perceptron */
#define PASS(name, score, at)                                                                                         \
    size_t name(size_t rows, size_t columns, const double *restrict X, const double *restrict y, size_t budget,       \
                double gamma, double alpha, double lambda, double rho, double *restrict z, double *restrict c,        \
                double *restrict apart, double *restrict scale)                                                       \
    {                                                                                                                 \
        const size_t slots = (budget + TILE - 1) / TILE * TILE;                                                       \
        const double shrink = 1.0 - alpha * lambda;                                                                   \
        size_t mistakes = 0, slot = 0;                                                                                \
        double s = 1.0;                                                                                               \
        for (size_t row = 0; row < rows; row++) {                                                                     \
            const double *restrict x = X + row * columns;                                                             \
            const double m = y[row] * s * score(slots, columns, z, c, gamma, x, apart);                               \
            mistakes += m <= 0.0;                                                                                     \
            s *= shrink;                                                                                              \
            if (s < 1e-50) {                                                                                          \
                for (size_t j = 0; j < slots; j++)                                                                    \
                    c[j] *= s;                                                                                        \
                s = 1.0;                                                                                              \
            }                                                                                                         \
            if (m <= rho) {                                                                                           \
                for (size_t i = 0; i < columns; i++)                                                                  \
                    z[at] = x[i];                                                                                     \
                c[slot] = alpha * y[row] / s;                                                                         \
                slot = slot + 1 == budget ? 0 : slot + 1;                                                             \
            }                                                                                                         \
        }                                                                                                             \
        *scale = s;                                                                                                   \
        return mistakes;                                                                                              \
    }

PASS(kernel_rows, score_rows, i * slots + slot)
PASS(kernel_tiles, score_tiles, (slot / TILE * columns + i) * TILE + slot % TILE)
