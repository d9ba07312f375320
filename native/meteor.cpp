// METEOR: statistics of many pairs, and their alignments.
#include <nanobind/nanobind.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "meteor_facts.hpp"
#include "meteor_search.hpp"
#include "pairs.hpp"

namespace mtassay {
namespace {

constexpr std::size_t n_columns = 23;

// One side of the row: 0 the hypothesis, 1 the reference.
void count_words(Words text, const meteor::WordFacts& facts, std::int64_t* row) {
    for (std::int32_t i = 0; i < text.n; ++i) {
        const std::int32_t word = text.ids[i];
        row[0] += facts.sizes.data()[word];
        if (facts.function.data()[word]) row[2] += facts.sizes.data()[word];
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

void fill_row(const meteor::Aligner& aligner, Words hyp, Words ref, const meteor::WordFacts& facts, std::int64_t* row) {
    count_words(hyp, facts, row);
    count_words(ref, facts, row + 1);
    for (const meteor::Match& match : aligner.matches) {
        count_matched(hyp.ids + match.hyp_start, match.hyp_length, match.stage, facts, row);
        count_matched(ref.ids + match.ref_start, match.ref_length, match.stage, facts, row + 1);
    }
    const std::int64_t chunks = aligner.count_chunks();
    // Parity: in METEOR, a segment whose words all match in one chunk has no fragmentation.
    const bool complete = row[21] == hyp.n && row[22] == ref.n;
    row[20] = complete && chunks == 1 ? 0 : chunks;
}

// Aligns every pair, and calls `visit` with its number, its texts and the aligner.
template <typename Visit>
void align_each(const Pairs& pairs, const meteor::WordFacts& facts, const meteor::PhraseTable& phrases, Visit visit) {
    // Hypotheses of one reference share most of their words and phrases, so they are aligned one after the other while
    // the facts are in the cache.
    std::vector<std::size_t> order(pairs.size);
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return pairs.ref_index[a] < pairs.ref_index[b]; });
    meteor::Aligner aligner(facts, phrases);
    for (const std::size_t p : order) {
        const Words hyp = pairs.hypothesis(p), ref = pairs.reference(p);
        facts.check(hyp);
        facts.check(ref);
        aligner.align(hyp, ref);
        visit(p, hyp, ref, aligner);
    }
}

Out2<std::int64_t> meteor_statistics(const nb::tuple& pairs_in, const nb::tuple& facts_in, const nb::tuple& phrases_in) {
    const Pairs pairs(pairs_in);
    const meteor::WordFacts facts(facts_in);
    const meteor::PhraseTable phrases(phrases_in);
    std::vector<std::int64_t> rows(pairs.size * n_columns, 0);
    {
        const nb::gil_scoped_release release;
        align_each(pairs, facts, phrases, [&](std::size_t p, Words hyp, Words ref, const meteor::Aligner& aligner) {
            fill_row(aligner, hyp, ref, facts, &rows[p * n_columns]);
        });
    }
    return to_numpy(std::move(rows), n_columns);
}

Out2<std::int64_t> meteor_matches(const nb::tuple& pairs_in, const nb::tuple& facts_in, const nb::tuple& phrases_in) {
    const Pairs pairs(pairs_in);
    const meteor::WordFacts facts(facts_in);
    const meteor::PhraseTable phrases(phrases_in);
    std::vector<std::int64_t> rows;
    {
        const nb::gil_scoped_release release;
        std::vector<meteor::Match> matches;
        std::vector<std::pair<std::size_t, std::size_t>> ranges(pairs.size);  // the matches of each pair
        align_each(pairs, facts, phrases, [&](std::size_t p, Words, Words, const meteor::Aligner& aligner) {
            ranges[p].first = matches.size();
            matches.insert(matches.end(), aligner.matches.begin(), aligner.matches.end());
            ranges[p].second = matches.size();
        });
        rows.reserve(6 * matches.size());
        for (std::size_t p = 0; p < pairs.size; ++p)
            for (std::size_t k = ranges[p].first; k < ranges[p].second; ++k) {
                const meteor::Match& m = matches[k];
                rows.insert(rows.end(), {static_cast<std::int64_t>(p), m.ref_start, m.ref_length, m.hyp_start,
                                         m.hyp_length, m.stage});
            }
    }
    return to_numpy(std::move(rows), 6);
}

}  // namespace
}  // namespace mtassay

void bind_meteor(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("meteor_statistics", &mtassay::meteor_statistics, "pairs"_a, nanobind::kw_only(), "facts"_a, "phrases"_a);
    m.def("meteor_matches", &mtassay::meteor_matches, "pairs"_a, nanobind::kw_only(), "facts"_a, "phrases"_a);
}
