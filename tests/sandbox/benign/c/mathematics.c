/* math.h, complex.h, limits, and how printf shows numbers. */
#include <complex.h>
#include <float.h>
#include <inttypes.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>

int main(void) {
    setlocale(LC_ALL, "");
    printf("%.15g %.15g %.15g\n", sqrt(2), sin(1), exp(1));
    printf("%g %g %.3f %d %d\n", fmod(7.5, 2), cbrt(27), tgamma(5), isnan(NAN), signbit(-0.0) != 0);
    printf("%e %a %.17g %g\n", DBL_MAX, 1.0, 0.1, FLT_EPSILON);
    double complex root = csqrt(-1);
    printf("%.1f%+.1fi %ld\n", creal(root), cimag(root), lround(2.5));
    printf("%" PRIu64 " %d %x %08.3f|%-5d|%+d\n", UINT64_MAX, INT_MIN, 255u, 3.14159, 42, 7);
    double sum = 0;
    for (int i = 1; i <= 1000000; i++)
        sum += 1.0 / ((double)i * i);
    printf("%.9f %s\n", sqrt(6 * sum), localeconv()->decimal_point);
    return 0;
}
