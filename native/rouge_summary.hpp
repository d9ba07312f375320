// Longest common subsequences of texts of several sentences, for ROUGE-Lsum.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "pairs.hpp"
#include "word_numbers.hpp"

namespace mtassay {

class UnionLcs {
public:
    // The words of both texts, and where their sentences end.
    std::int64_t operator()(const Words& hyp, const Words& hyp_ends, const Words& ref, const Words& ref_ends) {
        check(hyp, hyp_ends);
        check(ref, ref_ends);
        words_.number(ref.ids, ref.n, numbers_);
        left_.assign(static_cast<std::size_t>(words_.size()) + 1, 0);
        of_ref_ = left_;
        for (const int word : numbers_) ++of_ref_[word];
        for (int i = 0; i < hyp.n; ++i) ++left_[words_.find(hyp.ids[i])];
        for (std::size_t word = 0; word < left_.size(); ++word) left_[word] = std::min(left_[word], of_ref_[word]);
        in_union_.assign(static_cast<std::size_t>(ref.n), 0);
        for (int r = 0, ref_start = 0; r < ref_ends.n; ref_start = ref_ends.ids[r++])
            for (int h = 0, hyp_start = 0; h < hyp_ends.n; hyp_start = hyp_ends.ids[h++])
                mark(hyp.ids + hyp_start, hyp_ends.ids[h] - hyp_start, ref.ids + ref_start,
                     ref_ends.ids[r] - ref_start, in_union_.data() + ref_start);
        std::int64_t n_hits = 0;
        for (int j = 0; j < ref.n; ++j)
            if (in_union_[j] && left_[numbers_[j]] > 0) --left_[numbers_[j]], ++n_hits;
        return n_hits;
    }

private:
    static void check(const Words& text, const Words& ends) {
        const bool sorted = std::is_sorted(ends.ids, ends.ids + ends.n) && (ends.n == 0 || ends.ids[0] >= 0);
        if (!sorted || (ends.n == 0 ? 0 : ends.ids[ends.n - 1]) != text.n)
            throw std::invalid_argument("ends of sentences do not fit the text");
    }

    // Marks the words of the reference sentence on the path of a longest common subsequence.
    void mark(const std::int32_t* hyp, int n_hyp, const std::int32_t* ref, int n_ref, char* marks) {
        const auto stride = static_cast<std::size_t>(n_hyp) + 1;
        table_.assign((static_cast<std::size_t>(n_ref) + 1) * stride, 0);
        for (int i = 0; i < n_ref; ++i) {
            const int* above = &table_[static_cast<std::size_t>(i) * stride];
            int* row = &table_[(static_cast<std::size_t>(i) + 1) * stride];
            for (int j = 0; j < n_hyp; ++j)
                row[j + 1] = ref[i] == hyp[j] ? above[j] + 1 : std::max(above[j + 1], row[j]);
        }
        for (int i = n_ref, j = n_hyp; i > 0 && j > 0;) {
            const std::size_t at = static_cast<std::size_t>(i) * stride + static_cast<std::size_t>(j);
            if (ref[i - 1] == hyp[j - 1]) {
                --j;
                marks[--i] = 1;
            } else if (table_[at - 1] > table_[at - stride]) {
                --j;
            } else {
                --i;
            }
        }
    }

    WordNumbers words_;
    std::vector<int> numbers_, table_;
    std::vector<std::int64_t> left_, of_ref_;
    std::vector<char> in_union_;
};

}  // namespace mtassay
