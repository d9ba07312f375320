// Translation edit rate: edit counts of many pairs, and the alignment of one.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"
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

Out2<std::int64_t> ter_edits(const nb::tuple& pairs_in, const std::string& variant) {
    ter::Aligner aligner(ter::rules_of(variant));
    const Pairs pairs(pairs_in);
    auto rows = for_each_pair<std::int64_t>(pairs, n_columns, [&](std::size_t p, std::int64_t* row) {
        aligner.align(pairs.hypothesis(p), pairs.reference(p));
        count_edits(aligner, row);
    });
    return to_numpy(std::move(rows), n_columns);
}

nb::tuple ter_trace(const In<std::int32_t>& hypothesis, const In<std::int32_t>& reference, const std::string& variant) {
    ter::Aligner aligner(ter::rules_of(variant));
    {
        const nb::gil_scoped_release release;
        aligner.align(Words(hypothesis), Words(reference));
    }
    nb::list shifts;
    for (const auto& s : aligner.shifts) shifts.append(nb::make_tuple(s[0], s[1], s[2]));
    return nb::make_tuple(aligner.ops, shifts, aligner.order);
}

}  // namespace
}  // namespace mtassay

void bind_ter(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("ter_edits", &mtassay::ter_edits, "pairs"_a, nanobind::kw_only(), "variant"_a);
    m.def("ter_trace", &mtassay::ter_trace, "hypothesis"_a, "reference"_a, nanobind::kw_only(), "variant"_a);
}
