/* One training pass of PA-I in plain C: the baseline of the speed benchmark.
 *
 *     m = y w.x;   if m < 1:   w += min(C, (1 - m) / |x|^2) y x
 *
 * One pass over the row computes both w.x and |x|^2. Nothing is checked. Each function returns the number of
 * mistakes (m <= 0). There are two sparse versions, because the faster one depends on the processor: `plain` leaves
 * the gather to the compiler's vectoriser, `chains` is scalar with two independent sums. */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(__clang__)
#define SCALAR __attribute__((optimize("no-tree-vectorize", "no-tree-slp-vectorize")))
#else
#define SCALAR
#endif

static inline double step(double C, double m, double x_sq)
{
    double tau = (1.0 - m) / x_sq;
    return tau < C ? tau : C;
}

size_t pa1_sparse_plain(size_t rows, const uint32_t *restrict indptr, const uint32_t *restrict indices,
                        const double *restrict values, const double *restrict y, double C, double *restrict w)
{
    size_t mistakes = 0;
    for (size_t row = 0; row < rows; row++) {
        const size_t start = indptr[row], end = indptr[row + 1];
        double score = 0.0, x_sq = 0.0;
        for (size_t k = start; k < end; k++) {
            const double x = values[k];
            score += w[indices[k]] * x;
            x_sq += x * x;
        }
        const double m = y[row] * score;
        mistakes += m <= 0.0;
        if (m < 1.0 && x_sq > 0.0) {
            const double move = y[row] * step(C, m, x_sq);
            for (size_t k = start; k < end; k++)
                w[indices[k]] += move * values[k];
        }
    }
    return mistakes;
}

SCALAR
size_t pa1_sparse_chains(size_t rows, const uint32_t *restrict indptr, const uint32_t *restrict indices,
                         const double *restrict values, const double *restrict y, double C, double *restrict w)
{
    size_t mistakes = 0;
    for (size_t row = 0; row < rows; row++) {
        const uint32_t *restrict index = indices + indptr[row];
        const double *restrict x = values + indptr[row];
        const size_t n = indptr[row + 1] - indptr[row];
        double score = 0.0, x_sq = 0.0, score_odd = 0.0, x_sq_odd = 0.0;
        size_t k = 0;
        for (; k + 2 <= n; k += 2) {
            score += w[index[k]] * x[k];
            score_odd += w[index[k + 1]] * x[k + 1];
            x_sq += x[k] * x[k];
            x_sq_odd += x[k + 1] * x[k + 1];
        }
        if (k < n) {
            score += w[index[k]] * x[k];
            x_sq += x[k] * x[k];
        }
        score += score_odd;
        x_sq += x_sq_odd;
        const double m = y[row] * score;
        mistakes += m <= 0.0;
        if (m < 1.0 && x_sq > 0.0) {
            const double move = y[row] * step(C, m, x_sq);
            for (k = 0; k < n; k++)
                w[index[k]] += move * x[k];
        }
    }
    return mistakes;
}

size_t pa1_dense(size_t rows, size_t columns, const double *restrict X, const double *restrict y, double C,
                 double *restrict w)
{
    size_t mistakes = 0;
    for (size_t row = 0; row < rows; row++) {
        const double *restrict x = X + row * columns;
        double score = 0.0, x_sq = 0.0;
        for (size_t k = 0; k < columns; k++) {
            score += w[k] * x[k];
            x_sq += x[k] * x[k];
        }
        const double m = y[row] * score;
        mistakes += m <= 0.0;
        if (m < 1.0 && x_sq > 0.0) {
            const double move = y[row] * step(C, m, x_sq);
            for (size_t k = 0; k < columns; k++)
                w[k] += move * x[k];
        }
    }
    return mistakes;
}
