// Hjerson's error class of every word; the specification is mtassay/kernels/hjerson.py.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"

namespace mtassay {
namespace {

enum Class : std::uint8_t { correct, inflection, order, missing, extra, lexical };
enum Edit : std::uint8_t { match, substitution, alone };

constexpr std::size_t n_class_counts = 8, n_counts = 2 * n_class_counts + 3;

// One text, the edits of its words, and their classes.
struct Side {
    const std::int32_t *words = nullptr, *bases = nullptr;
    std::size_t n = 0;
    std::vector<std::uint8_t> edits, unmatched, classes;

    void set(const Tokens& texts, const std::int32_t* all_bases, std::int64_t text) {
        words = texts.begin(text);
        bases = all_bases + texts.offsets[text];
        n = static_cast<std::size_t>(texts.length(text));
        edits.assign(n, match);
        unmatched.assign(n, 0);
        classes.assign(n, correct);
    }
};

class Classifier {
public:
    void operator()(Side& hyp, Side& ref, std::int64_t* counts) {
        std::int64_t* rates = counts + 2 * n_class_counts;
        rates[0] = set_edits(hyp, ref);
        rates[1] = set_unmatched(ref, hyp);
        rates[2] = set_unmatched(hyp, ref);
        set_classes(hyp, extra);
        set_classes(ref, missing);
        set_order(hyp, ref);
        set_order(ref, hyp);
        count(ref, {inflection, order, missing, lexical}, {0, 2, 4, 6}, counts);
        count(hyp, {inflection, order, extra, lexical}, {1, 3, 5, 7}, counts);
    }

private:
    enum Step : std::uint8_t { both, reference_only, hypothesis_only };

    // Sets the edit of each word on the preferred one of the cheapest paths, and returns the number of edits.
    std::int64_t set_edits(Side& hyp, Side& ref) {
        costs_.resize(hyp.n + 1);
        for (std::size_t h = 0; h <= hyp.n; ++h) costs_[h] = static_cast<std::int32_t>(h);
        steps_.resize(hyp.n * ref.n);
        for (std::size_t r = 0; r < ref.n; ++r) {
            const std::int32_t word = ref.words[r];
            std::uint8_t* steps = steps_.data() + r * hyp.n;
            std::int32_t diagonal = costs_[0], left = costs_[0] = static_cast<std::int32_t>(r + 1);
            for (std::size_t h = 0; h < hyp.n; ++h) {
                const std::int32_t above = costs_[h + 1], by_both = diagonal + (word != hyp.words[h]);
                const std::int32_t cost = std::min(by_both, std::min(above, left) + 1);
                steps[h] = cost == by_both ? both : cost == above + 1 ? reference_only : hypothesis_only;
                diagonal = above;
                left = costs_[h + 1] = cost;
            }
        }
        for (std::size_t r = ref.n, h = hyp.n; r > 0 || h > 0;) {
            const std::uint8_t step = r == 0 ? hypothesis_only : h == 0 ? reference_only : steps_[(r - 1) * hyp.n + h - 1];
            if (step != hypothesis_only) --r;
            if (step != reference_only) --h;
            if (step == both) {
                hyp.edits[h] = ref.edits[r] = hyp.words[h] == ref.words[r] ? match : substitution;
            } else if (step == reference_only) {
                ref.edits[r] = alone;
            } else {
                hyp.edits[h] = alone;
            }
        }
        return costs_[hyp.n];
    }

    // Sets for each word 0 if the other text has it, 1 if the other text has only its base, else 2; returns the number of
    // words with 1 or 2.
    std::int64_t set_unmatched(Side& text, const Side& other) {
        used_.assign(other.n, 0);
        std::int64_t n_unmatched = 0;
        for (std::size_t i = 0; i < text.n; ++i)
            if (!use(other.words, other.n, text.words[i])) {
                text.unmatched[i] = 2;
                ++n_unmatched;
            }
        for (std::size_t i = 0; i < text.n; ++i)
            if (text.unmatched[i] && use(other.bases, other.n, text.bases[i])) text.unmatched[i] = 1;
        return n_unmatched;
    }

    // Uses the first one of `values` that is equal and not used yet.
    bool use(const std::int32_t* values, std::size_t n, std::int32_t wanted) {
        for (std::size_t j = 0; j < n; ++j)
            if (values[j] == wanted && !used_[j]) {
                used_[j] = 1;
                return true;
            }
        return false;
    }

    static void set_classes(Side& text, Class if_alone) {
        for (std::size_t i = 0; i < text.n; ++i) {
            if (text.unmatched[i] == 1)
                text.classes[i] = inflection;
            else if (text.unmatched[i] == 2 && text.edits[i] != match)
                text.classes[i] = text.edits[i] == alone ? if_alone : lexical;
        }
    }

    // Marks words with an edit that are also among the words with an edit of the other text.
    void set_order(Side& text, const Side& other) {
        used_.resize(other.n);
        for (std::size_t j = 0; j < other.n; ++j) used_[j] = other.edits[j] == match;
        for (std::size_t i = 0; i < text.n; ++i)
            if (text.edits[i] != match && use(other.words, other.n, text.words[i])) text.classes[i] = order;
    }

    // Counts words and blocks of four classes into these columns.
    static void count(const Side& text, std::array<Class, 4> classes, std::array<std::size_t, 4> columns,
                      std::int64_t* counts) {
        for (std::size_t i = 0; i < text.n; ++i)
            for (std::size_t k = 0; k < classes.size(); ++k)
                if (text.classes[i] == classes[k]) {
                    ++counts[columns[k]];
                    counts[n_class_counts + columns[k]] += i == 0 || text.classes[i - 1] != classes[k];
                }
    }

    std::vector<std::int32_t> costs_;
    std::vector<std::uint8_t> steps_;  // of the cells, reference word by reference word
    std::vector<char> used_;
};

nb::tuple hjerson_errors(const nb::tuple& pairs_in, const In<std::int32_t>& hypothesis_bases,
                         const In<std::int32_t>& reference_bases) {
    const Pairs pairs(pairs_in);
    if (hypothesis_bases.shape(0) != pairs.hyps.n_tokens || reference_bases.shape(0) != pairs.refs.n_tokens)
        throw std::invalid_argument("there must be one base per word");
    std::vector<std::uint8_t> of_hyps, of_refs;
    Classifier classify;
    Side hyp, ref;
    auto counts = for_each_pair<std::int64_t>(pairs, n_counts, [&](std::size_t p, std::int64_t* row) {
        hyp.set(pairs.hyps, hypothesis_bases.data(), pairs.hyp_index[p]);
        ref.set(pairs.refs, reference_bases.data(), pairs.ref_index[p]);
        classify(hyp, ref, row);
        of_hyps.insert(of_hyps.end(), hyp.classes.begin(), hyp.classes.end());
        of_refs.insert(of_refs.end(), ref.classes.begin(), ref.classes.end());
    });
    return nb::make_tuple(to_numpy(std::move(counts), n_counts), to_numpy(std::move(of_hyps)),
                          to_numpy(std::move(of_refs)));
}

}  // namespace
}  // namespace mtassay

void bind_hjerson(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("hjerson_errors", &mtassay::hjerson_errors, "pairs"_a, nanobind::kw_only(), "hypothesis_bases"_a,
          "reference_bases"_a);
}
