// The compiled twin of mtassay.kernels: integer and byte loops, no policy.
#include <nanobind/nanobind.h>

// Every family of kernels, one line each: FAMILY(name) has name.cpp with the function bind_name.
#define EACH_FAMILY(FAMILY) \
    FAMILY(addicter)        \
    FAMILY(character)       \
    FAMILY(dependencies)    \
    FAMILY(edits)           \
    FAMILY(eed)             \
    FAMILY(encode)          \
    FAMILY(envelopes)       \
    FAMILY(frames)          \
    FAMILY(gtm)             \
    FAMILY(hjerson)         \
    FAMILY(lepor)           \
    FAMILY(meteor)          \
    FAMILY(ngram_numbers)   \
    FAMILY(ngrams)          \
    FAMILY(nist)            \
    FAMILY(resampling)      \
    FAMILY(ribes)           \
    FAMILY(rouge)           \
    FAMILY(ter)             \
    FAMILY(trueskill)

#define DECLARE(name) void bind_##name(nanobind::module_& m);
#define BIND(name) bind_##name(m);

EACH_FAMILY(DECLARE)

NB_MODULE(_native, m) {
    m.doc() = "Compiled kernels of mtassay; import them through mtassay.kernels.";
    EACH_FAMILY(BIND)
}
