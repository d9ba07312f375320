// METEOR: statistics of many pairs, and the alignment of one.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "arrays.hpp"
#include "meteor_facts.hpp"
#include "meteor_search.hpp"
#include "parallel.hpp"

namespace mtassay {
namespace {

constexpr std::size_t n_columns = 23;

std::int32_t checked_length(std::int64_t n) {
    if (n > std::numeric_limits<std::int32_t>::max() / 8) throw std::invalid_argument("text too long");
    return static_cast<std::int32_t>(n);
}

// One side of the row: 0 the hypothesis, 1 the reference.
void count_words(const std::int32_t* words, std::int32_t n, const meteor::WordFacts& facts, std::int64_t* row) {
    for (std::int32_t i = 0; i < n; ++i) {
        row[0] += facts.sizes.data()[words[i]];
        if (facts.function.data()[words[i]]) row[2] += facts.sizes.data()[words[i]];
    }
}

void count_matched(const std::int32_t* words, std::int32_t n, std::int32_t stage, const meteor::WordFacts& facts,
                   std::int64_t* row) {
    for (std::int32_t i = 0; i < n; ++i) {
        const bool function = facts.function.data()[words[i]] != 0;
        row[4 + 4 * stage + 2 * function] += facts.sizes.data()[words[i]];
    }
    row[21] += n;
}

void fill_row(const meteor::Aligner& aligner, const std::int32_t* hyp, std::int32_t n_hyp, const std::int32_t* ref,
              std::int32_t n_ref, const meteor::WordFacts& facts, std::int64_t* row) {
    count_words(hyp, n_hyp, facts, row);
    count_words(ref, n_ref, facts, row + 1);
    for (const meteor::Match& match : aligner.matches) {
        count_matched(hyp + match.hyp_start, match.hyp_length, match.stage, facts, row);
        count_matched(ref + match.ref_start, match.ref_length, match.stage, facts, row + 1);
    }
    const std::int64_t chunks = aligner.count_chunks();
    // Parity: METEOR, a segment whose words all match in one chunk is not fragmented at all.
    const bool complete = row[21] == n_hyp && row[22] == n_ref;
    row[20] = complete && chunks == 1 ? 0 : chunks;
}

Out2<std::int64_t> meteor_statistics(In<std::int32_t> hyp_ids, In<std::int64_t> hyp_offsets, In<std::int32_t> ref_ids,
                                     In<std::int64_t> ref_offsets, In<std::int64_t> hyp_index,
                                     In<std::int64_t> ref_index, nb::tuple facts_in, nb::tuple phrases_in,
                                     int threads) {
    const TokenView hyps(hyp_ids, hyp_offsets), refs(ref_ids, ref_offsets);
    const meteor::WordFacts facts(facts_in);
    const meteor::PhraseTable phrases(phrases_in);
    if (hyp_index.shape(0) != ref_index.shape(0))
        throw std::invalid_argument("hyp_index and ref_index differ in length");
    check_index(hyp_index, hyps.n_texts);
    check_index(ref_index, refs.n_texts);
    const std::size_t n_pairs = hyp_index.shape(0);
    const std::int64_t *hyp_of = hyp_index.data(), *ref_of = ref_index.data();
    std::vector<std::int64_t> rows(n_pairs * n_columns, 0);
    {
        const nb::gil_scoped_release release;
        // Hypotheses of one reference share most of their words and phrases, so what was fetched for one is at hand for
        // the next.
        std::vector<std::size_t> order(n_pairs);
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return ref_of[a] < ref_of[b]; });
        parallel_for(n_pairs, threads, [&] {
            return [&, aligner = std::make_shared<meteor::Aligner>(facts, phrases)](std::size_t k) {
                const std::size_t p = order[k];
                const std::int32_t *hyp = hyps.begin(hyp_of[p]), *ref = refs.begin(ref_of[p]);
                const std::int32_t n_hyp = checked_length(hyps.length(hyp_of[p]));
                const std::int32_t n_ref = checked_length(refs.length(ref_of[p]));
                facts.check(hyp, n_hyp);
                facts.check(ref, n_ref);
                aligner->align(hyp, n_hyp, ref, n_ref);
                fill_row(*aligner, hyp, n_hyp, ref, n_ref, facts, &rows[p * n_columns]);
            };
        });
    }
    return to_numpy(std::move(rows), n_columns);
}

nb::list meteor_trace(In<std::int32_t> hyp_ids, In<std::int32_t> ref_ids, nb::tuple facts_in, nb::tuple phrases_in) {
    const meteor::WordFacts facts(facts_in);
    const meteor::PhraseTable phrases(phrases_in);
    const std::int32_t n_hyp = checked_length(static_cast<std::int64_t>(hyp_ids.shape(0)));
    const std::int32_t n_ref = checked_length(static_cast<std::int64_t>(ref_ids.shape(0)));
    facts.check(hyp_ids.data(), n_hyp);
    facts.check(ref_ids.data(), n_ref);
    meteor::Aligner aligner(facts, phrases);
    {
        const nb::gil_scoped_release release;
        aligner.align(hyp_ids.data(), n_hyp, ref_ids.data(), n_ref);
    }
    nb::list matches;
    for (const meteor::Match& m : aligner.matches)
        matches.append(nb::make_tuple(m.ref_start, m.ref_length, m.hyp_start, m.hyp_length, m.stage));
    return matches;
}

}  // namespace
}  // namespace mtassay

void bind_meteor(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("meteor_statistics", &mtassay::meteor_statistics, "hyp_ids"_a, "hyp_offsets"_a, "ref_ids"_a, "ref_offsets"_a,
          "hyp_index"_a, "ref_index"_a, "facts"_a, "phrases"_a, "threads"_a);
    m.def("meteor_trace", &mtassay::meteor_trace, "hyp_ids"_a, "ref_ids"_a, "facts"_a, "phrases"_a);
}
