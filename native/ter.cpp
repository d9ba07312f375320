// Translation edit rate: edit counts of many pairs, and the alignment of one.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"
#include "parallel.hpp"
#include "ter_align.hpp"

namespace mtassay {
namespace {

constexpr std::size_t n_columns = 5;

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
    const Pairs pairs(hyp_ids, hyp_offsets, ref_ids, ref_offsets, hyp_index, ref_index);
    std::vector<std::int64_t> rows(pairs.size() * n_columns, 0);
    {
        const nb::gil_scoped_release release;
        parallel_for(pairs.size(), threads, [&] {
            return [&, aligner = std::make_shared<ter::Aligner>(rules)](std::size_t p) {
                const Words hyp = pairs.hypothesis(p), ref = pairs.reference(p);
                aligner->align(hyp.ids, hyp.n, ref.ids, ref.n);
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
