// NIST's weights and weighted matches; the specification is mtassay/kernels/nist.py.
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "ngram_groups.hpp"
#include "pairs.hpp"

namespace mtassay {
namespace {

// The n-grams of one length, numbered 0, 1, 2 ...; an n-gram is given by the number of the n-gram without its last token,
// and by that token.
class Level {
public:
    explicit Level(std::size_t n_ngrams) {
        std::size_t n_slots = 16;
        while (n_slots < 2 * n_ngrams) n_slots *= 2;
        slots_.assign(n_slots, Slot{0, 0});
        for (std::size_t n = n_slots; n > 1; n /= 2) --shift_;
    }
    // Counts one occurrence and returns the n-gram's number; `n_before` is the count of the n-gram without its last token.
    std::uint32_t add(std::uint32_t before, std::int32_t token, double n_before) {
        const std::uint64_t key = (static_cast<std::uint64_t>(before) << 32) | static_cast<std::uint32_t>(token);
        const std::size_t mask = slots_.size() - 1;
        std::size_t s = static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> shift_);
        while (slots_[s].number_plus_1 != 0 && slots_[s].key != key) s = (s + 1) & mask;
        if (slots_[s].number_plus_1 == 0) {
            counts_.push_back(0.0);
            n_before_.push_back(n_before);
            slots_[s] = Slot{key, static_cast<std::uint32_t>(counts_.size())};
        }
        const std::uint32_t number = slots_[s].number_plus_1 - 1;
        counts_[number] += 1.0;
        return number;
    }
    double count(std::uint32_t number) const { return counts_[number]; }
    std::vector<double> weights() const {
        std::vector<double> all(counts_.size());
        for (std::size_t k = 0; k < all.size(); ++k) all[k] = std::log2(n_before_[k] / counts_[k]);
        return all;
    }

private:
    struct Slot {
        std::uint64_t key;
        std::uint32_t number_plus_1;  // 0: the slot is free
    };
    std::vector<Slot> slots_;
    int shift_ = 64;
    std::vector<double> counts_, n_before_;
};

std::vector<double> weigh(const Tokens& refs, std::size_t order, std::int64_t zero) {
    const std::size_t n_tokens = refs.n_tokens;
    std::vector<double> weights(n_tokens * order, 0.0);
    // By position: the n-gram of the previous level that begins there. At first this is the empty n-gram, which begins at
    // every position.
    std::vector<std::uint32_t> numbers(n_tokens, 0);
    std::vector<double> counts(1, static_cast<double>(n_tokens));
    for (std::size_t depth = 0; depth < order; ++depth) {
        std::size_t n_ngrams = 0;
        // Calls each(position of the first token) for the n-grams of this length.
        const auto for_each = [&](auto each) {
            for (std::size_t t = 0; t < refs.n_texts; ++t) {
                const auto first = static_cast<std::size_t>(refs.offsets[t]);
                const auto last = static_cast<std::size_t>(refs.offsets[t + 1]);
                for (std::size_t p = first; p + depth < last; ++p) each(p);
            }
        };
        for_each([&](std::size_t) { ++n_ngrams; });
        if (n_ngrams == 0) break;
        Level level(n_ngrams);
        for_each([&](std::size_t p) {
            const bool behind_zero = depth == 1 && refs.ids[p] == zero;
            const double n_before = behind_zero ? static_cast<double>(n_tokens) : counts[numbers[p]];
            numbers[p] = level.add(numbers[p], refs.ids[p + depth], n_before);
        });
        const std::vector<double> of_number = level.weights();
        for_each([&](std::size_t p) { weights[p * order + depth] = of_number[numbers[p]]; });
        counts.resize(of_number.size());
        for (std::size_t k = 0; k < counts.size(); ++k) counts[k] = level.count(static_cast<std::uint32_t>(k));
    }
    return weights;
}

Out2<double> nist_weights(const nb::tuple& references, int order, std::int64_t zero) {
    const Tokens refs(references);
    const std::size_t n_columns = checked_order(order);
    if (refs.n_tokens >= std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("too many tokens");
    std::vector<double> weights;
    {
        const nb::gil_scoped_release unlocked;
        weights = weigh(refs, n_columns, zero);
    }
    return to_numpy(std::move(weights), n_columns);
}

Out2<double> nist_matches(const nb::tuple& pairs_in, const In2<double>& weights) {
    const GroupedPairs pairs(pairs_in);
    const std::size_t n_columns = weights.shape(1);
    const auto order = static_cast<int>(n_columns);
    checked_order(order);
    if (weights.shape(0) != pairs.refs.n_tokens) throw std::invalid_argument("weights do not fit the references");
    std::vector<double> sums(pairs.size * n_columns, 0.0);
    {
        const nb::gil_scoped_release unlocked;
        for_each_group(pairs, order, [&](auto& trie, const Group& group) {
            for (std::int64_t t = group.first; t < group.last; ++t)
                trie.add(pairs.refs.begin(t), pairs.refs.length(t),
                         weights.data() + static_cast<std::size_t>(pairs.refs.offsets[t]) * n_columns);
            for (std::size_t k = 0; k < group.n_pairs; ++k) {
                const std::int64_t hyp = pairs.hyp_index[group.pairs[k]];
                trie.match_weights(pairs.hyps.begin(hyp), pairs.hyps.length(hyp), &sums[group.pairs[k] * n_columns]);
            }
        });
    }
    return to_numpy(std::move(sums), n_columns);
}

}  // namespace
}  // namespace mtassay

void bind_nist(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("nist_weights", &mtassay::nist_weights, "references"_a, nanobind::kw_only(), "order"_a, "zero"_a = -1);
    m.def("nist_matches", &mtassay::nist_matches, "pairs"_a, "weights"_a);
}
