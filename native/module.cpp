// The compiled twin of mtassay.kernels: integer and byte loops, no policy.
#include <nanobind/nanobind.h>

namespace nb = nanobind;

void bind_edits(nb::module_& m);
void bind_encode(nb::module_& m);
void bind_envelopes(nb::module_& m);
void bind_lepor(nb::module_& m);
void bind_meteor(nb::module_& m);
void bind_ngrams(nb::module_& m);
void bind_nist(nb::module_& m);
void bind_gtm(nb::module_& m);
void bind_rouge(nb::module_& m);
void bind_resampling(nb::module_& m);
void bind_ter(nb::module_& m);
void bind_trueskill(nb::module_& m);

NB_MODULE(_native, m) {
    m.doc() = "Compiled kernels of mtassay; import them through mtassay.kernels.";
    bind_edits(m);
    bind_encode(m);
    bind_envelopes(m);
    bind_lepor(m);
    bind_meteor(m);
    bind_ngrams(m);
    bind_nist(m);
    bind_gtm(m);
    bind_rouge(m);
    bind_resampling(m);
    bind_ter(m);
    bind_trueskill(m);
}
