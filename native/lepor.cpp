// LEPOR's word alignment; the specification is src/mtassay/kernels/lepor.py.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"
#include "sorted_positions.hpp"

namespace mtassay {
namespace {

constexpr std::size_t n_columns = 2;
constexpr int most_words = 2'000'000;
enum class Variant { paper, hlepor_py };

Variant variant_of(const std::string& name) {
    if (name == "paper") return Variant::paper;
    if (name == "hlepor-py") return Variant::hlepor_py;
    throw std::invalid_argument("unknown variant '" + name + "'");
}

// The positions of one word: entries begin .. end - 1 of the sorted positions.
struct Range {
    int begin, end;
    int size() const { return end - begin; }
};

struct Word {
    Range in_hyp, in_ref;
};

// A set of numbers below n that are still free; finds the nearest free one on either side in almost constant time, since
// a number that is taken points to its neighbour.
class Free {
public:
    void reset(int n) {
        n_ = n;
        after_.resize(static_cast<std::size_t>(n) + 1);
        before_.resize(static_cast<std::size_t>(n) + 1);
        for (int i = 0; i <= n; ++i) after_[static_cast<std::size_t>(i)] = before_[static_cast<std::size_t>(i)] = i;
    }
    // The first free one from i on; n if there is none.
    int from(int i) { return find(after_, i); }
    // The last free one before i; -1 if there is none.
    int before(int i) { return find(before_, i) - 1; }
    void take(int i) {
        after_[static_cast<std::size_t>(i)] = i + 1;
        before_[static_cast<std::size_t>(i) + 1] = i;
        --n_;
    }
    bool any() const { return n_ > 0; }

private:
    static int find(std::vector<int>& next, int i) {
        auto at = [&](int k) -> int& { return next[static_cast<std::size_t>(k)]; };
        while (at(i) != i) i = at(i) = at(at(i));
        return i;
    }
    int n_ = 0;
    std::vector<int> after_, before_;
};

class Aligner {
public:
    Aligner(int context, Variant variant) : context_(context), variant_(variant) {}

    void align(Words hyp, Words ref, std::int64_t* row) {
        hyp_ = hyp;
        ref_ = ref;
        n_aligned_ = distance_ = 0;
        if (variant_ == Variant::hlepor_py && hyp.n == ref.n && std::equal(hyp.ids, hyp.ids + hyp.n, ref.ids))
            n_aligned_ = hyp.n;
        else
            align_words();
        row[0] = n_aligned_;
        row[1] = distance_;
    }

private:
    static void sort_positions(Words text, SortedPositions& positions) {
        positions.clear();
        positions.add(text.ids, text.n, 0);
        positions.sort();
    }

    int hyp_position(int k) const { return static_cast<int>(hyp_positions_.at(static_cast<std::size_t>(k))); }
    int ref_position(int k) const { return static_cast<int>(ref_positions_.at(static_cast<std::size_t>(k))); }

    void align_words() {
        sort_positions(hyp_, hyp_positions_);
        sort_positions(ref_, ref_positions_);
        find_shared_words();
        for (const Word& word : shared_) {
            if (word.in_hyp.size() == 1 && word.in_ref.size() == 1)
                pair(hyp_position(word.in_hyp.begin), ref_position(word.in_ref.begin));
            else if (variant_ == Variant::paper)
                align_by_paper(word);
            else
                align_as_hlepor_py(word);
        }
    }

    void find_shared_words() {
        shared_.clear();
        in_both_.assign(static_cast<std::size_t>(hyp_.n), 0);
        for (int h = 0, r = 0; h < hyp_.n && r < ref_.n;) {
            const std::uint32_t hyp_word = hyp_positions_.word(static_cast<std::size_t>(h));
            const std::uint32_t ref_word = ref_positions_.word(static_cast<std::size_t>(r));
            if (hyp_word != ref_word) {
                (hyp_word < ref_word ? h : r) += 1;
                continue;
            }
            Word word{{h, h}, {r, r}};
            for (; h < hyp_.n && hyp_positions_.word(static_cast<std::size_t>(h)) == hyp_word; ++h)
                in_both_[static_cast<std::size_t>(hyp_position(h))] = 1;
            while (r < ref_.n && ref_positions_.word(static_cast<std::size_t>(r)) == ref_word) ++r;
            word.in_hyp.end = h;
            word.in_ref.end = r;
            shared_.push_back(word);
        }
    }

    void pair(int i, int j) {
        ++n_aligned_;
        distance_ += std::abs(difference(i, j));
    }

    // The relative position of i minus that of j, times both lengths.
    std::int64_t difference(int i, int j) const {
        return std::int64_t{i + 1} * ref_.n - std::int64_t{j + 1} * hyp_.n;
    }

    // Neighbours.

    int first_neighbour(Words text, int i) const {
        if (variant_ == Variant::paper || i >= context_) return std::max(0, i - context_);
        // Parity: in hLepor 0.0.4, a slice that begins below 0 counts from the end of the text.
        return std::min(i, std::max(0, text.n + i - context_));
    }

    template <typename Visit>
    bool any_neighbour(Words text, int i, Visit visit) const {
        for (int k = first_neighbour(text, i); k < i; ++k)
            if (visit(k)) return true;
        const int end = context_ < text.n - i ? i + 1 + context_ : text.n;
        for (int k = i + 1; k < std::min(end, text.n); ++k)
            if (visit(k)) return true;
        return false;
    }

    // Stores the neighbours of position i of the hypothesis that the reference has; returns whether there are any.
    bool look_around(int i) {
        neighbours_.clear();
        any_neighbour(hyp_, i, [&](int k) {
            if (in_both_[static_cast<std::size_t>(k)]) neighbours_.push_back(hyp_.ids[k]);
            return false;
        });
        if (neighbours_.size() > few) std::sort(neighbours_.begin(), neighbours_.end());
        return !neighbours_.empty();
    }

    bool agrees(int j) const {
        return any_neighbour(ref_, j, [&](int k) {
            const auto begin = neighbours_.begin(), end = neighbours_.end();
            if (neighbours_.size() > few) return std::binary_search(begin, end, ref_.ids[k]);
            return std::find(begin, end, ref_.ids[k]) != end;
        });
    }

    // The two rules.

    void align_by_paper(const Word& word) {
        free_.reset(word.in_ref.size());
        left_.clear();
        int middle = 0;
        for (int h = word.in_hyp.begin; h < word.in_hyp.end; ++h) {
            const int i = hyp_position(h);
            middle = move_on(word, i, middle);
            if (!look_around(i) || !take_nearest(word, i, middle, [&](int j) { return agrees(j); })) left_.push_back(i);
        }
        middle = 0;
        for (const int i : left_) {
            if (!free_.any()) return;
            middle = move_on(word, i, middle);
            take_nearest(word, i, middle, [](int) { return true; });
        }
    }

    // The first occurrence in the reference whose relative position is not before that of i in the hypothesis.
    int move_on(const Word& word, int i, int middle) const {
        while (middle < word.in_ref.size() && difference(i, ref_position(word.in_ref.begin + middle)) > 0) ++middle;
        return middle;
    }

    template <typename Accept>
    bool take_nearest(const Word& word, int i, int middle, Accept accept) {
        int before = free_.before(middle), after = free_.from(middle);
        while (before >= 0 || after < word.in_ref.size()) {
            const bool step_back =
                after == word.in_ref.size() ||
                (before >= 0 && difference(i, ref_position(word.in_ref.begin + before)) <=
                                    -difference(i, ref_position(word.in_ref.begin + after)));
            const int k = step_back ? before : after;
            const int j = ref_position(word.in_ref.begin + k);
            if (accept(j)) {
                free_.take(k);
                pair(i, j);
                return true;
            }
            if (step_back)
                before = free_.before(before);
            else
                after = free_.from(after + 1);
        }
        return false;
    }

    void align_as_hlepor_py(const Word& word) {
        left_.clear();
        for (int r = word.in_ref.begin; r < word.in_ref.end; ++r) left_.push_back(ref_position(r));
        for (int h = word.in_hyp.begin; h < word.in_hyp.end && !left_.empty(); ++h) {
            const int i = hyp_position(h);
            std::ptrdiff_t nearest = -1;
            if (look_around(i)) nearest = nearest_of(i, [&](int j) { return agrees(j); });
            if (nearest < 0) nearest = nearest_of(i, [](int) { return true; });
            const auto taken = left_.begin() + nearest;
            pair(i, *taken);
            left_.erase(taken);
        }
    }

    // Parity: hLepor 0.0.4 counts the nearest occurrence among the accepted ones, but uses that number for all free ones.
    template <typename Accept>
    std::ptrdiff_t nearest_of(int i, Accept accept) const {
        std::ptrdiff_t n_accepted = 0, nearest = -1;
        int least = 0;
        for (const int j : left_) {
            if (!accept(j)) continue;
            if (nearest < 0 || std::abs(i - j) < least) {
                nearest = n_accepted;
                least = std::abs(i - j);
            }
            ++n_accepted;
        }
        return nearest;
    }

    static constexpr std::size_t few = 8;

    int context_;
    Variant variant_;
    Words hyp_{nullptr, 0}, ref_{nullptr, 0};
    std::int64_t n_aligned_ = 0, distance_ = 0;
    SortedPositions hyp_positions_, ref_positions_;
    std::vector<Word> shared_;
    std::vector<char> in_both_;
    std::vector<std::int32_t> neighbours_;
    std::vector<int> left_;
    Free free_;
};

Words checked(Words text) {
    if (text.n > most_words) throw std::invalid_argument("text too long");
    return text;
}

Out2<std::int64_t> lepor_matches(const nb::tuple& pairs_in, int context, const std::string& variant) {
    if (context < 0) throw std::invalid_argument("context must not be negative");
    Aligner aligner(context, variant_of(variant));
    const Pairs pairs(pairs_in);
    auto rows = for_each_pair<std::int64_t>(pairs, n_columns, [&](std::size_t p, std::int64_t* row) {
        aligner.align(checked(pairs.hypothesis(p)), checked(pairs.reference(p)), row);
    });
    return to_numpy(std::move(rows), n_columns);
}

}  // namespace
}  // namespace mtassay

void bind_lepor(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("lepor_matches", &mtassay::lepor_matches, "pairs"_a, nanobind::kw_only(), "context"_a, "variant"_a);
}
