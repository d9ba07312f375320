// METEOR's choice among possible matches: a beam search over the reference words, from left to right. The specification
// is src/mtassay/kernels/meteor.py.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include "meteor_matches.hpp"

namespace mtassay::meteor {

constexpr std::int32_t beam = 40;

// Buffers are reused from pair to pair.
class Aligner {
public:
    Aligner(const WordFacts& facts, const PhraseTable& phrases) : possible_(facts, phrases) {}

    std::vector<Match> matches;  // in the order of the reference

    void align(Words hyp, Words ref) {
        matches.clear();
        if (hyp.n == ref.n && std::equal(hyp.ids, hyp.ids + hyp.n, ref.ids)) {
            // Parity: in METEOR, equal texts have only exact matches; the search would find the same.
            for (std::int32_t i = 0; i < ref.n; ++i) matches.push_back({i, 1, i, 1, exact});
            return;
        }
        possible_.find(hyp.ids, hyp.n, ref.ids, ref.n);
        search(hyp.n, ref.n);
    }

    std::int64_t count_chunks() const {
        std::int64_t chunks = 0;
        std::int32_t ref_end = -1, hyp_end = -1;
        for (const Match& match : matches) {
            chunks += match.ref_start != ref_end || match.hyp_start != hyp_end;
            ref_end = match.ref_start + match.ref_length;
            hyp_end = match.hyp_start + match.hyp_length;
        }
        return chunks;
    }

private:
    // A choice of matches for the first words of the reference.
    struct Path {
        std::int32_t total = 0;
        std::int32_t chunks = 0;  // without the one that is still open
        std::int64_t distance = 0;
        std::int32_t ref_end = 0;   // one past the last reference word of the last match
        std::int32_t hyp_end = -1;  // hypothesis position that would continue the open chunk, or -1
        std::int32_t node = -1;     // the last match, in nodes_
        std::int32_t bits = 0;      // position of the bits of its used words in used_
        bool operator<(const Path& other) const {
            if (total != other.total) return total > other.total;
            if (chunks != other.chunks) return chunks < other.chunks;
            return distance < other.distance;
        }
    };
    struct Node {
        Match match;
        std::int32_t before;
    };
    // A match that may be taken next, with what it adds.
    struct Choice {
        Match match;
        std::int32_t weight;
        std::int64_t distance;
    };
    // A possible next path: its rank, the path it comes from, and the choice made (-1: none; -2: the path is still inside
    // a match).
    struct Successor {
        std::uint64_t rank;
        std::int64_t distance;
        std::int32_t number;  // in the order in which they are found, which breaks ties
        std::int32_t parent, choice;
        bool operator<(const Successor& other) const {
            if (rank != other.rank) return rank < other.rank;
            if (distance != other.distance) return distance < other.distance;
            return number < other.number;
        }
    };
    static constexpr std::int32_t skipped = -1, unchanged = -2;
    // Beyond this many successors, those that cannot be among the best are dropped early.
    static constexpr std::size_t most_successors = 1024;

    void search(std::int32_t n_hyp, std::int32_t n_ref) {
        n_bits_ = static_cast<std::size_t>(n_hyp) / 64 + 1;
        used_.assign(n_bits_ * beam, 0);
        next_used_.resize(n_bits_ * beam);
        nodes_.clear();
        paths_.assign(1, Path{});
        Match fixed{};
        for (std::int32_t j = 0; j < n_ref; ++j) {
            if (possible_.fixed(j, fixed)) {
                for (Path& path : paths_) extend(path, fixed, path.distance + distance(fixed));
                matches.push_back(fixed);
                sort_paths();
            } else if (possible_.count(j) == 0) {
                for (Path& path : paths_)
                    if (path.ref_end <= j) close(path);
                sort_paths();
            } else {
                branch(j);
            }
        }
        for (Path& path : paths_) close(path);
        const Path& best = *std::min_element(paths_.begin(), paths_.end());
        for (std::int32_t node = best.node; node >= 0; node = nodes_[node].before)
            matches.push_back(nodes_[node].match);
        std::sort(matches.begin(), matches.end(),
                  [](const Match& a, const Match& b) { return a.ref_start < b.ref_start; });
    }

    static std::int64_t distance(const Match& match) { return std::abs(match.ref_start - match.hyp_start); }

    static std::int32_t weight(const Match& match) {
        // Parity: in METEOR, matches that are not exact count half, but totals are integers, so halves are truncated.
        const std::int32_t divisor = match.stage == exact ? 1 : 2;
        return match.hyp_length / divisor + match.ref_length / divisor;
    }

    static void extend(Path& path, const Match& match, std::int64_t distance) {
        path.total += weight(match);
        path.chunks += path.hyp_end != -1 && path.hyp_end != match.hyp_start;
        path.distance = distance;
        path.ref_end = match.ref_start + match.ref_length;
        path.hyp_end = match.hyp_start + match.hyp_length;
    }

    static void close(Path& path) {
        path.chunks += path.hyp_end != -1;
        path.hyp_end = -1;
    }

    // Sorts paths, best first, stable in ties; by insertion, since they are nearly sorted.
    void sort_paths() {
        for (std::size_t k = 1; k < paths_.size(); ++k) {
            const Path path = paths_[k];
            std::size_t place = k;
            for (; place > 0 && path < paths_[place - 1]; --place) paths_[place] = paths_[place - 1];
            paths_[place] = path;
        }
    }

    // Tries every match that starts at reference word `j`, and none, on every path.
    void branch(std::int32_t j) {
        choices_.clear();
        possible_.each(j, [&](const Match& match) { choices_.push_back({match, weight(match), distance(match)}); });
        successors_.clear();
        n_found_ = 0;
        is_limited_ = false;
        for (std::size_t p = 0; p < paths_.size(); ++p) {
            const Path& path = paths_[p];
            const auto parent = static_cast<std::int32_t>(p);
            if (j < path.ref_end) {
                offer(path.total, path.chunks, path.distance, parent, unchanged);
                continue;
            }
            std::int64_t further = path.distance;
            for (std::size_t c = 0; c < choices_.size(); ++c) {
                const Choice& choice = choices_[c];
                if (is_used(path, choice.match)) continue;
                const bool breaks = path.hyp_end != -1 && path.hyp_end != choice.match.hyp_start;
                offer(path.total + choice.weight, path.chunks + breaks, further, parent, static_cast<std::int32_t>(c));
                // Parity: METEOR adds the distance of a match to later paths, not to the path of the match.
                further += choice.distance;
            }
            offer(path.total, path.chunks + (path.hyp_end != -1), further, parent, skipped);
        }
        keep_best();
        take_over();
    }

    void offer(std::int32_t total, std::int32_t chunks, std::int64_t distance, std::int32_t parent,
               std::int32_t choice) {
        const auto missing = ~static_cast<std::uint32_t>(total);
        const auto rank = static_cast<std::uint64_t>(missing) << 32 | static_cast<std::uint32_t>(chunks);
        const Successor successor{rank, distance, n_found_++, parent, choice};
        if (is_limited_ && !(successor < limit_)) return;
        successors_.push_back(successor);
        if (successors_.size() < most_successors) return;
        keep_best();
        is_limited_ = true;
        limit_ = successors_.back();
    }

    // Keeps the best successors, in order.
    void keep_best() {
        if (successors_.size() > beam) {
            std::nth_element(successors_.begin(), successors_.begin() + beam, successors_.end());
            successors_.resize(beam);
        }
        std::sort(successors_.begin(), successors_.end());
    }

    // Makes the successors the paths.
    void take_over() {
        next_paths_.clear();
        for (const Successor& successor : successors_) {
            Path path = paths_[successor.parent];
            const std::uint64_t* from = &used_[path.bits * n_bits_];
            path.bits = static_cast<std::int32_t>(next_paths_.size());
            std::uint64_t* to = &next_used_[path.bits * n_bits_];
            std::copy(from, from + n_bits_, to);
            if (successor.choice >= 0) {
                const Match& match = choices_[successor.choice].match;
                extend(path, match, successor.distance);
                for (std::int32_t i = match.hyp_start; i < match.hyp_start + match.hyp_length; ++i)
                    to[i / 64] |= std::uint64_t{1} << i % 64;
                nodes_.push_back({match, path.node});
                path.node = static_cast<std::int32_t>(nodes_.size()) - 1;
            } else if (successor.choice == skipped) {
                close(path);
                path.distance = successor.distance;
            }
            next_paths_.push_back(path);
        }
        paths_.swap(next_paths_);
        used_.swap(next_used_);
    }

    bool is_used(const Path& path, const Match& match) const {
        const std::uint64_t* used = &used_[path.bits * n_bits_];
        for (std::int32_t i = match.hyp_start; i < match.hyp_start + match.hyp_length; ++i)
            if (used[i / 64] >> i % 64 & 1) return true;
        return false;
    }

    Matches possible_;
    std::vector<Path> paths_, next_paths_;
    std::vector<Choice> choices_;
    std::vector<Successor> successors_;
    std::int32_t n_found_ = 0;
    bool is_limited_ = false;  // whether so many were found that only those before limit_ matter
    Successor limit_{};
    std::vector<Node> nodes_;
    std::vector<std::uint64_t> used_, next_used_;  // n_bits_ numbers for each path
    std::size_t n_bits_ = 1;
};

}  // namespace mtassay::meteor
