// Dependency n-grams of references in hypotheses; the specification is mtassay/kernels/dependencies.py.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"
#include "sorted_positions.hpp"

namespace mtassay {
namespace {

// The n-grams of n >= 2 words of one reference after another.
class Ngrams {
public:
    std::vector<std::int32_t> chains;  // ascending positions, n for each chain
    std::vector<std::int32_t> starts;  // start positions of structures that are not chains

    void find(const std::int32_t* heads, int n_words, int n) {
        chains.clear();
        starts.clear();
        is_chain_.assign(static_cast<std::size_t>(n_words), 0);
        for (std::int32_t word = 0; word < n_words; ++word) add_chain(heads, word, n);
        find_reach(heads, n_words);
        for (int first = 0; first + n <= n_words; ++first)
            if (!is_chain_[static_cast<std::size_t>(first)] && is_structure(heads, first, first + n))
                starts.push_back(first);
    }

private:
    void add_chain(const std::int32_t* heads, std::int32_t word, int n) {
        const std::size_t begin = chains.size();
        chains.push_back(word);
        for (int k = 1; k < n && heads[word] >= 0; ++k) chains.push_back(word = heads[word]);
        if (chains.size() - begin < static_cast<std::size_t>(n)) {
            chains.resize(begin);
            return;
        }
        std::sort(chains.begin() + static_cast<std::ptrdiff_t>(begin), chains.end());
        const std::int32_t first = chains[begin];
        if (chains.back() - first == n - 1) is_chain_[static_cast<std::size_t>(first)] = 1;
    }
    // The first and the last dependent of every word; the word itself if it has none.
    void find_reach(const std::int32_t* heads, int n_words) {
        reach_.resize(static_cast<std::size_t>(n_words));
        for (std::int32_t word = 0; word < n_words; ++word) reach_[static_cast<std::size_t>(word)] = {word, word};
        for (std::int32_t word = 0; word < n_words; ++word) {
            if (heads[word] < 0) continue;
            auto& of_head = reach_[static_cast<std::size_t>(heads[word])];
            of_head = {std::min(of_head.first, word), std::max(of_head.second, word)};
        }
    }
    bool is_structure(const std::int32_t* heads, std::int32_t first, std::int32_t end) const {
        int n_tops = 0, n_cut = 0;
        std::int32_t top = -1;
        bool is_cut_below_top_only = true, have_one_head = true;
        for (std::int32_t word = first; word < end; ++word) {
            const auto& reach = reach_[static_cast<std::size_t>(word)];
            const bool is_top = heads[word] < first || heads[word] >= end;
            if (reach.first < first || reach.second >= end) {
                ++n_cut;
                is_cut_below_top_only = is_cut_below_top_only && is_top;
            }
            if (!is_top) continue;
            if (++n_tops == 1) top = word;
            have_one_head = have_one_head && heads[word] == heads[top];
        }
        if (n_tops == 0) return false;
        return (n_tops == 1 && is_cut_below_top_only) || (n_cut == 0 && have_one_head && heads[top] >= 0);
    }

    std::vector<char> is_chain_;  // by position, whether a chain of neighbours begins there
    std::vector<std::pair<std::int32_t, std::int32_t>> reach_;
};

// Finds the n-grams of references in one hypothesis after another.
class Finder {
public:
    void set(const Words& hyp) {
        hyp_ = hyp.ids;
        n_hyp_ = static_cast<std::size_t>(hyp.n);
        places_.clear();
        places_.add(hyp.ids, hyp.n, 0);
        places_.sort();
    }
    // Number of words that the texts have in common.
    std::int64_t in_common(const Words& ref) { return places_.in_common(ref.ids, ref.n); }
    double chain_value(const std::int32_t* chain, int n, const std::int32_t* ref) {
        least_.clear();
        const auto first = places_.of(ref[chain[0]]);
        for (std::size_t k = first.begin; k < first.end; ++k) least_.push_back({place(k), 0});
        for (int i = 1; i < n && !least_.empty(); ++i) step(places_.of(ref[chain[i]]), chain[i] - chain[i - 1]);
        if (least_.empty()) return 0.0;
        std::int64_t least = least_[0].cost;
        for (const State& state : least_) least = std::min(least, state.cost);
        return std::exp(-static_cast<double>(least) / (n - 1));
    }
    bool has(const std::int32_t* words, int n) const {
        const auto range = places_.of(words[0]);
        for (std::size_t k = range.begin; k < range.end; ++k) {
            const std::size_t start = places_.at(k);
            if (start + static_cast<std::size_t>(n) <= n_hyp_ && std::equal(words, words + n, hyp_ + start)) return true;
        }
        return false;
    }

private:
    struct State {
        std::int64_t place, cost;  // place of the last word so far, and the smallest difference that leads there
    };

    std::int64_t place(std::size_t k) const { return static_cast<std::int64_t>(places_.at(k)); }

    // From the states of one word to those of the next, which is `gap` words further in the reference: the minimum of
    // cost + |last - (place - gap)| over last < place. Both lists are passed through once: among states left of
    // place - gap, the one with the smallest cost - last is best; among those between, the one with the smallest
    // cost + last in a window that only moves right.
    void step(SortedPositions::Range range, std::int64_t gap) {
        next_.clear();
        window_.clear();
        std::size_t entered = 0, n_left = 0;
        std::int64_t left = 0;
        for (std::size_t k = range.begin; k < range.end; ++k) {
            const std::int64_t here = place(k), wanted = here - gap;
            for (; n_left < least_.size() && least_[n_left].place <= std::min(wanted, here - 1); ++n_left) {
                const std::int64_t value = least_[n_left].cost - least_[n_left].place;
                left = n_left == 0 ? value : std::min(left, value);
            }
            for (; entered < least_.size() && least_[entered].place < here; ++entered) {
                const State& state = least_[entered];
                while (!window_.empty() && window_.back().cost + window_.back().place >= state.cost + state.place)
                    window_.pop_back();
                window_.push_back(state);
            }
            while (!window_.empty() && window_.front().place <= wanted) window_.pop_front();
            if (entered == 0) continue;
            std::int64_t cost = n_left > 0 ? left + wanted : -1;
            if (!window_.empty()) {
                const std::int64_t between = window_.front().cost + window_.front().place - wanted;
                cost = cost < 0 ? between : std::min(cost, between);
            }
            next_.push_back({here, cost});
        }
        least_.swap(next_);
    }

    SortedPositions places_;  // of the words of the hypothesis
    const std::int32_t* hyp_ = nullptr;
    std::size_t n_hyp_ = 0;
    std::vector<State> least_, next_;
    std::deque<State> window_;
};

void check_heads(const In<std::int32_t>& heads, const Tokens& refs) {
    if (heads.shape(0) != refs.n_tokens) throw std::invalid_argument("heads and words differ in number");
    for (std::size_t t = 0; t < refs.n_texts; ++t)
        for (std::int64_t i = refs.offsets[t]; i < refs.offsets[t + 1]; ++i)
            if (heads.data()[i] < -1 || heads.data()[i] >= refs.offsets[t + 1] - refs.offsets[t])
                throw std::invalid_argument("heads out of range");
}

Out2<double> dependency_matches(const nb::tuple& pairs_in, const In<std::int32_t>& heads, int order) {
    const Pairs pairs(pairs_in);
    if (order < 1) throw std::invalid_argument("the order must be positive");
    check_heads(heads, pairs.refs);
    Ngrams ngrams;
    Finder finder;
    const std::size_t n_columns = 2 * static_cast<std::size_t>(order);
    return to_numpy(for_each_pair<double>(pairs, n_columns, [&](std::size_t p, double* row) {
        const Words ref = pairs.reference(p);
        const std::int32_t* of_ref = heads.data() + pairs.refs.offsets[pairs.ref_index[p]];
        finder.set(pairs.hypothesis(p));
        row[0] = static_cast<double>(finder.in_common(ref));
        row[order] = ref.n;
        for (int n = 2; n <= order; ++n) {
            ngrams.find(of_ref, ref.n, n);
            double value = 0.0;
            for (std::size_t c = 0; c < ngrams.chains.size(); c += static_cast<std::size_t>(n))
                value += finder.chain_value(ngrams.chains.data() + c, n, ref.ids);
            int n_found = 0;
            for (const std::int32_t first : ngrams.starts) n_found += finder.has(ref.ids + first, n);
            row[n - 1] = value + n_found;
            row[order + n - 1] =
                static_cast<double>(ngrams.chains.size() / static_cast<std::size_t>(n) + ngrams.starts.size());
        }
    }), n_columns);
}

}  // namespace
}  // namespace mtassay

void bind_dependencies(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("dependency_matches", &mtassay::dependency_matches, "pairs"_a, nanobind::kw_only(), "heads"_a, "order"_a);
}
