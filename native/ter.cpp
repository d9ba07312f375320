// Translation edit rate: edit counts of many pairs, and the alignment of one.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "parallel.hpp"
#include "ter_align.hpp"

namespace mtassay {
namespace {

constexpr std::size_t n_columns = 5;

int checked_length(std::int64_t n) {
    if (n > std::numeric_limits<int>::max() / 4) throw std::invalid_argument("text too long");
    return static_cast<int>(n);
}

void count_edits(const ter::Aligner& aligner, std::int64_t* row) {
    for (const char op : aligner.ops) {
        row[0] += op == 'I';
        row[1] += op == 'D';
        row[2] += op == 'S';
    }
    row[3] = static_cast<std::int64_t>(aligner.shifts.size());
    for (const auto& shift : aligner.shifts) row[4] += shift[1] - shift[0] + 1;
}

Out2<std::int64_t> ter_edits(In<std::int32_t> hyp_ids, In<std::int64_t> hyp_offsets, In<std::int32_t> ref_ids,
                             In<std::int64_t> ref_offsets, In<std::int64_t> hyp_index, In<std::int64_t> ref_index,
                             int variant, int threads) {
    const ter::Rules rules = ter::rules_of(variant);
    const TokenView hyps(hyp_ids, hyp_offsets), refs(ref_ids, ref_offsets);
    if (hyp_index.shape(0) != ref_index.shape(0))
        throw std::invalid_argument("hyp_index and ref_index differ in length");
    check_index(hyp_index, hyps.n_texts);
    check_index(ref_index, refs.n_texts);
    const std::size_t n_pairs = hyp_index.shape(0);
    const std::int64_t *hyp_of = hyp_index.data(), *ref_of = ref_index.data();
    std::vector<std::int64_t> rows(n_pairs * n_columns, 0);
    {
        const nb::gil_scoped_release release;
        parallel_for(n_pairs, threads, [&] {
            return [&, aligner = std::make_shared<ter::Aligner>(rules)](std::size_t p) {
                const std::int64_t h = hyp_of[p], r = ref_of[p];
                aligner->align(hyps.begin(h), checked_length(hyps.length(h)), refs.begin(r),
                               checked_length(refs.length(r)));
                count_edits(*aligner, &rows[p * n_columns]);
            };
        });
    }
    return to_numpy(std::move(rows), n_columns);
}

nb::tuple ter_trace(In<std::int32_t> hyp_ids, In<std::int32_t> ref_ids, int variant) {
    ter::Aligner aligner(ter::rules_of(variant));
    {
        const nb::gil_scoped_release release;
        aligner.align(hyp_ids.data(), checked_length(hyp_ids.shape(0)), ref_ids.data(),
                      checked_length(ref_ids.shape(0)));
    }
    nb::list shifts;
    for (const auto& s : aligner.shifts) shifts.append(nb::make_tuple(s[0], s[1], s[2]));
    return nb::make_tuple(aligner.ops, shifts, aligner.order);
}

}  // namespace
}  // namespace mtassay

void bind_ter(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("ter_edits", &mtassay::ter_edits, "hyp_ids"_a, "hyp_offsets"_a, "ref_ids"_a, "ref_offsets"_a, "hyp_index"_a,
          "ref_index"_a, "variant"_a, "threads"_a);
    m.def("ter_trace", &mtassay::ter_trace, "hyp_ids"_a, "ref_ids"_a, "variant"_a);
}
