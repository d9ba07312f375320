// Addicter's alignment of words and its errors of order; the specification is mtassay/kernels/addicter.py.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"

namespace mtassay {
namespace {

std::uint64_t mixed(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

// The position of the lowest set bit of a number that is not 0.
std::size_t lowest_bit(std::uint64_t x) {
#if defined(__GNUC__)
    return static_cast<std::size_t>(__builtin_ctzll(x));
#else
    std::size_t place = 0;
    while (!(x & 1)) x >>= 1, ++place;
    return place;
#endif
}

// The number of bits that are set.
int n_bits(std::uint64_t x) {
    x -= (x >> 1) & 0x5555555555555555ull;
    x = (x & 0x3333333333333333ull) + ((x >> 2) & 0x3333333333333333ull);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0full;
    return static_cast<int>((x * 0x0101010101010101ull) >> 56);
}

// Whether two letters are similar, for strcmp95.
class Alike {
public:
    Alike() {
        static const char pairs[] =
            "AEAIAOAUBVEIEOEUIOIUOUIYEYCGEFWUWVXKSZXSQCUVMNLIQOPRIJ2Z5S8B1I1L0O0QCKGJ";
        for (const char* p = pairs; *p; p += 2) set(p[0], p[1]);
    }
    bool operator()(std::int32_t x, std::int32_t y) const {
        return x >= 0 && y >= 0 && x < 128 && y < 128 && is_[static_cast<std::size_t>(x * 128 + y)];
    }

private:
    void set(int x, int y) { is_[static_cast<std::size_t>(x * 128 + y)] = is_[static_cast<std::size_t>(y * 128 + x)] = true; }
    std::array<bool, 128 * 128> is_{};
};

bool is_digit(std::int32_t letter) { return letter >= '0' && letter <= '9'; }

// The similarity of two words of at most 64 letters; sets of positions are bits of a number.
class Strcmp95 {
public:
    static constexpr int kLetters = 64;

    // A similarity of 0.6 or more is exact; below that, the result is exact or 0.
    double operator()(Words first, Words second) const {
        if (first.n == 0 || second.n == 0) return 0.0;
        const int shorter = std::min(first.n, second.n), window = std::max(std::max(first.n, second.n) / 2 - 1, 0);
        std::uint64_t of_first = 0, of_second = 0;
        for (int i = 0; i < first.n; ++i) {
            std::uint64_t same = 0;
            for (int j = 0; j < second.n; ++j) same |= static_cast<std::uint64_t>(second.ids[j] == first.ids[i]) << j;
            same &= ~of_second & places(i - window, i + window);
            of_second |= same & (~same + 1);
            of_first |= static_cast<std::uint64_t>(same != 0) << i;
        }
        const int common = n_bits(of_first);
        if (common == 0 || !may_be_similar(first.n, second.n, common)) return 0.0;
        int transposed = 0;
        for (std::uint64_t x = of_first, y = of_second; x; x &= x - 1, y &= y - 1)
            transposed += first.ids[lowest_bit(x)] != second.ids[lowest_bit(y)];
        transposed /= 2;
        const int alike = shorter > common ? count_alike(first, of_first, second, of_second) : 0;
        const double similar = 3 * alike / 10.0 + common;
        const double weight =
            (similar / first.n + similar / second.n + static_cast<double>(common - transposed) / common) / 3;
        return weight > 0.7 ? boosted(weight, first, second, common) : weight;
    }

    // Whether two words with these numbers of letters and at most `common` common letters may reach a similarity of 0.6.
    // It is at most (similar / n_first + similar / n_second + 1) / 3, where similar letters count 3/10.
    static bool may_be_similar(int n_first, int n_second, int common) {
        return (7 * common + 3 * std::min(n_first, n_second)) * (n_first + n_second) >= 8 * n_first * n_second;
    }

private:
    // The bits from one position to another.
    static std::uint64_t places(int first, int last) {
        return (~0ull >> std::max(63 - last, 0)) & (~0ull << std::max(first, 0));
    }
    int count_alike(Words first, std::uint64_t of_first, Words second, std::uint64_t of_second) const {
        int alike = 0;
        for (std::uint64_t x = ~of_first & places(0, first.n - 1); x; x &= x - 1)
            for (std::uint64_t y = ~of_second & places(0, second.n - 1); y; y &= y - 1)
                if (alike_(first.ids[lowest_bit(x)], second.ids[lowest_bit(y)])) {
                    ++alike;
                    of_second |= y & (~y + 1);
                    break;
                }
        return alike;
    }
    static double boosted(double weight, Words first, Words second, int common) {
        const int shorter = std::min(first.n, second.n);
        int start = 0;
        while (start < std::min(shorter, 4) && first.ids[start] == second.ids[start] && !is_digit(first.ids[start]))
            ++start;
        weight += start * 0.1 * (1 - weight);
        if (shorter > 4 && common > start + 1 && 2 * common >= shorter + start && !is_digit(first.ids[0]))
            weight += (1 - weight) *
                      (static_cast<double>(common - start - 1) / static_cast<double>(first.n + second.n - start * 2 + 2));
        return weight;
    }
    Alike alike_;
};

// One text: its words, their lemmas and tags, and what they are aligned with.
struct Text {
    const std::int32_t *words = nullptr, *lemmas = nullptr, *tags = nullptr;
    int n = 0;
    std::vector<std::int32_t> to;
};

class Aligner {
public:
    Aligner(const Tokens& letters, const std::int32_t* tag_starts, const std::int32_t* tag_marks)
        : letters_(letters), tag_starts_(tag_starts), tag_marks_(tag_marks), masks_(letters.n_texts), known_(1 << kKnownBits) {
        for (std::size_t lemma = 0; lemma < letters.n_texts; ++lemma) {
            if (letters.length(static_cast<std::int64_t>(lemma)) > Strcmp95::kLetters)
                throw std::invalid_argument("a lemma has more than 64 letters");
            for (std::int64_t i = letters.offsets[lemma]; i < letters.offsets[lemma + 1]; ++i)
                masks_[lemma] |= 1ull << (letters.ids[i] & 63);
        }
    }

    void operator()(Text& hyp, Text& ref) {
        hyp.to.assign(static_cast<std::size_t>(hyp.n), -1);
        ref.to.assign(static_cast<std::size_t>(ref.n), -1);
        align_unique(hyp, ref, hyp.words, ref.words);
        align_unique(hyp, ref, hyp.lemmas, ref.lemmas);
        find_points(hyp, ref);
        while (true) {
            const auto best = std::max_element(rows_.begin(), rows_.end(),
                                               [](const Row& x, const Row& y) { return x.best < y.best; });
            if (best == rows_.end() || best->best < kLowestScore) break;
            const int h = best->h, r = free_[best->place].first;
            hyp.to[static_cast<std::size_t>(h)] = r;
            ref.to[static_cast<std::size_t>(r)] = h;
            take(static_cast<std::size_t>(best - rows_.begin()), best->place, hyp);
        }
    }

private:
    static constexpr double kLowestScore = 8, kDissimilar = 0.6, kNone = -std::numeric_limits<double>::infinity();
    // A free word of the hypothesis, and its best counterpart (the first in a tie), as a position in free_.
    struct Row {
        int h;
        double best;
        std::size_t place;
    };
    // The score of two words: without points for neighbours, and with those for neighbours that are aligned now.
    struct Point {
        double alone, now;
    };
    // Similarity of two lemmas, whose numbers are the key.
    struct Known {
        std::uint64_t key = ~0ull;
        double similarity = 0;
    };
    static constexpr int kKnownBits = 15;
    static std::int32_t to(const Text& text, int i) { return text.to[static_cast<std::size_t>(i)]; }

    // Scores the pairs of free words that could be aligned.
    void find_points(const Text& hyp, const Text& ref) {
        rows_.clear();
        free_.clear();
        for (int r = 0; r < ref.n; ++r)
            if (to(ref, r) < 0) free_.push_back({r, static_cast<double>(r) / ref.n});
        if (free_.empty()) return;
        const auto n_rows = static_cast<std::size_t>(std::count(hyp.to.begin(), hyp.to.end(), -1));
        points_.assign(n_rows * free_.size(), Point{kNone, kNone});
        Point* next = points_.data();
        for (int h = 0; h < hyp.n; ++h) {
            if (to(hyp, h) >= 0) continue;
            const double place = static_cast<double>(h) / hyp.n;
            for (const auto& [r, place_r] : free_) {
                Point& point = *next++;
                const double of_tags = tag(hyp.tags[h], ref.tags[r]);
                if (of_tags < 0) continue;  // points for lemma, position and neighbours cannot make up for it
                const double lemma = std::max(0.0, (of_lemmas(hyp.lemmas[h], ref.lemmas[r]) - kDissimilar) / 0.4);
                const bool is_first = r == 0 && h > 0 && to(hyp, h - 1) < 0;
                const double score = 7 * lemma + 6 * of_tags + 5 * (1 - std::abs(place - place_r)) + 3 * is_first;
                point = {score, score + 3 * n_beside(h, r, hyp)};
            }
            rows_.push_back({h, kNone, 0});
            find_best(rows_.size() - 1);
        }
    }
    // The number of neighbours on both sides that are aligned with each other.
    static int n_beside(int h, int r, const Text& hyp) {
        return (h > 0 && r > 0 && to(hyp, h - 1) == r - 1) + (h + 1 < hyp.n && to(hyp, h + 1) == r + 1);
    }
    void find_best(std::size_t row) {
        const Point* points = points_.data() + row * free_.size();
        Row& found = rows_[row];
        found.best = kNone;
        for (std::size_t k = 0; k < free_.size(); ++k)
            if (points[k].now > found.best) found.best = points[k].now, found.place = k;
    }
    // Removes two words that were aligned, and raises the scores beside them.
    void take(std::size_t row, std::size_t place, const Text& hyp) {
        rows_[row].best = kNone;
        for (std::size_t k = 0; k < rows_.size(); ++k) {
            points_[k * free_.size() + place].now = kNone;
            if (rows_[k].best > kNone && rows_[k].place == place) find_best(k);
        }
        const int h = rows_[row].h, r = free_[place].first;
        if (row > 0 && place > 0 && rows_[row - 1].h == h - 1 && free_[place - 1].first == r - 1)
            raise(row - 1, place - 1, hyp);
        if (row + 1 < rows_.size() && place + 1 < free_.size() && rows_[row + 1].h == h + 1 &&
            free_[place + 1].first == r + 1)
            raise(row + 1, place + 1, hyp);
    }
    void raise(std::size_t row, std::size_t place, const Text& hyp) {
        Row& of_row = rows_[row];
        Point& point = points_[row * free_.size() + place];
        if (of_row.best == kNone || point.now == kNone) return;
        point.now = point.alone + 3 * n_beside(of_row.h, free_[place].first, hyp);
        if (point.now > of_row.best || (point.now == of_row.best && place < of_row.place))
            of_row.best = point.now, of_row.place = place;
    }
    // The similarity of two lemmas: exact above kDissimilar, or 0 below it, where lemmas get no points.
    double of_lemmas(std::int32_t x, std::int32_t y) {
        const std::uint64_t in_x = masks_[static_cast<std::size_t>(x)], in_y = masks_[static_cast<std::size_t>(y)];
        if ((in_x & in_y) == 0) return 0.0;
        // Letters that only one lemma has cannot be common, which limits the number of common letters.
        const Words of_x(letters_.begin(x), letters_.length(x)), of_y(letters_.begin(y), letters_.length(y));
        const int most = std::min(of_x.n - n_bits(in_x & ~in_y), of_y.n - n_bits(in_y & ~in_x));
        if (!Strcmp95::may_be_similar(of_x.n, of_y.n, most)) return 0.0;
        const std::uint64_t key = static_cast<std::uint64_t>(x) << 32 | static_cast<std::uint32_t>(y);
        Known& known = known_[(key * 0x9e3779b97f4a7c15ull) >> (64 - kKnownBits)];
        if (known.key != key) known = {key, strcmp95_(of_x, of_y)};
        return known.similarity;
    }
    double tag(std::int32_t x, std::int32_t y) const {
        if (x == y) return 1.0;
        if (tag_marks_[x] != tag_marks_[y]) return -10.0;
        return tag_starts_[x] == tag_starts_[y] ? 0.5 : 0.0;
    }
    // Values that occur exactly once among the free words, sorted, and their positions.
    void place_free(const Text& text, const std::int32_t* values, std::vector<std::pair<std::int32_t, int>>& places) {
        places.clear();
        for (int i = 0; i < text.n; ++i)
            if (to(text, i) < 0) places.emplace_back(values[i], i);
        std::sort(places.begin(), places.end());
        std::size_t n = 0;
        for (std::size_t i = 0; i < places.size();) {
            std::size_t j = i + 1;
            while (j < places.size() && places[j].first == places[i].first) ++j;
            if (j == i + 1) places[n++] = places[i];
            i = j;
        }
        places.resize(n);
    }
    void align_unique(Text& hyp, Text& ref, const std::int32_t* of_hyp, const std::int32_t* of_ref) {
        place_free(hyp, of_hyp, hyp_places_);
        place_free(ref, of_ref, ref_places_);
        auto other = ref_places_.begin();
        for (const auto& [value, place] : hyp_places_) {
            while (other != ref_places_.end() && other->first < value) ++other;
            if (other == ref_places_.end()) break;
            if (other->first != value) continue;
            hyp.to[static_cast<std::size_t>(place)] = other->second;
            ref.to[static_cast<std::size_t>(other->second)] = place;
        }
    }

    const Tokens& letters_;
    const std::int32_t *tag_starts_, *tag_marks_;
    Strcmp95 strcmp95_;
    std::vector<std::uint64_t> masks_;  // letters of each lemma; lemmas without a common letter have similarity 0
    std::vector<Known> known_;          // similarities of pairs of lemmas, a direct-mapped cache
    std::vector<Row> rows_;                     // free words of the hypothesis
    std::vector<std::pair<int, double>> free_;  // free words of the reference, and their relative positions
    std::vector<Point> points_;                 // row by row, one for each free word of the reference
    std::vector<std::pair<std::int32_t, int>> hyp_places_, ref_places_;
};

void check_column(const In<std::int32_t>& column, std::size_t n_words, std::size_t limit) {
    if (column.shape(0) != n_words) throw std::invalid_argument("there must be one lemma and one tag per word");
    for (std::size_t i = 0; i < n_words; ++i)
        if (column.data()[i] < 0 || static_cast<std::size_t>(column.data()[i]) >= limit)
            throw std::invalid_argument("index out of range");
}

Out1<std::int32_t> addicter_alignments(const nb::tuple& pairs_in, const In<std::int32_t>& hypothesis_lemmas,
                                       const In<std::int32_t>& hypothesis_tags,
                                       const In<std::int32_t>& reference_lemmas,
                                       const In<std::int32_t>& reference_tags, const nb::tuple& letters_in,
                                       const In<std::int32_t>& tag_starts, const In<std::int32_t>& tag_marks) {
    const Pairs pairs(pairs_in);
    const Tokens letters(letters_in);
    if (tag_starts.shape(0) != tag_marks.shape(0))
        throw std::invalid_argument("tag_starts and tag_marks differ in length");
    check_column(hypothesis_lemmas, pairs.hyps.n_tokens, letters.n_texts);
    check_column(reference_lemmas, pairs.refs.n_tokens, letters.n_texts);
    check_column(hypothesis_tags, pairs.hyps.n_tokens, tag_starts.shape(0));
    check_column(reference_tags, pairs.refs.n_tokens, tag_starts.shape(0));
    std::vector<std::int32_t> found;
    Aligner align(letters, tag_starts.data(), tag_marks.data());
    Text hyp, ref;
    const auto set = [](Text& text, const Tokens& texts, std::int64_t number, const In<std::int32_t>& lemmas,
                        const In<std::int32_t>& tags) {
        text.words = texts.begin(number);
        text.lemmas = lemmas.data() + texts.offsets[number];
        text.tags = tags.data() + texts.offsets[number];
        text.n = Words(text.words, texts.length(number)).n;
    };
    {
        const nb::gil_scoped_release release;
        for (std::size_t p = 0; p < pairs.size; ++p) {
            set(hyp, pairs.hyps, pairs.hyp_index[p], hypothesis_lemmas, hypothesis_tags);
            set(ref, pairs.refs, pairs.ref_index[p], reference_lemmas, reference_tags);
            align(hyp, ref);
            found.insert(found.end(), hyp.to.begin(), hyp.to.end());
        }
    }
    return to_numpy(std::move(found));
}

// Sorts words by swaps of neighbours in as few runs as a beam search finds.
class Sorter {
public:
    struct Run {
        std::int32_t word, last;
        bool is_shift;
    };

    explicit Sorter(std::size_t beam) : beam_(beam) {}

    const std::vector<Run>& operator()(const std::int32_t* order, std::size_t n) {
        runs_.clear();
        swaps_.clear();
        // Words at both ends that are already in their right places are left out.
        std::size_t begin = 0, end = n;
        sorted_.assign(order, order + n);
        std::sort(sorted_.begin(), sorted_.end());
        while (begin < end && order[begin] == sorted_[begin]) ++begin;
        while (end > begin && order[end - 1] == sorted_[end - 1]) --end;
        n_ = end - begin;
        if (n_ == 0) return runs_;
        states_.assign(1, State{0, 0, -1, -1});
        last_swaps_ = -1;
        // Each word is numbered by its right place.
        words_.resize(n_);
        for (std::size_t i = 0; i < n_; ++i)
            words_[i] = static_cast<std::int32_t>(
                std::lower_bound(sorted_.begin(), sorted_.end(), order[begin + i]) - sorted_.begin());
        while (factors_.size() < n_) factors_.push_back(mixed(factors_.size() + 1) | 1);
        while (marks_.size() < n) marks_.push_back(mixed(marks_.size() + 0x9e3779b97f4a7c15ull));
        for (std::size_t i = 0; n_ <= kPlaces && i + 1 < n_; ++i)
            states_[0].falls |= static_cast<std::uint64_t>(words_[i] > words_[i + 1]) << i;
        Swap best{};
        while (true) {
            expand();
            if (made_.empty()) break;
            best = swap_of(best_);
            go_on();
        }
        read_runs(best);
        return runs_;
    }

private:
    // The smaller, the better: by cost, then by length.
    static std::uint64_t rank(std::int32_t cost, std::int32_t length) {
        return static_cast<std::uint64_t>(cost) << 32 | static_cast<std::uint32_t>(length);
    }
    struct State {
        std::int32_t cost;
        std::uint64_t hash;
        std::int32_t right, left;  // words that the next swap can move further without a new run, -1 if there are none
        std::int32_t length = 0;   // number of swaps of the last run
        std::uint64_t falls = 0;   // a bit for each place whose word is higher than the next, if there are few places

        std::uint32_t place = 0;   // place of the last swap

        std::uint64_t rank() const { return Sorter::rank(cost, length); }
        // Bits of the places of swaps that continue the last run, if there are few places.
        std::uint64_t places_going_on() const {
            const std::uint64_t bit = 1ull << place;
            return (right >= 0 ? bit << 1 : 0) | (left >= 0 ? bit >> 1 : 0);
        }
    };
    struct Swap {
        std::int64_t before;
        std::int32_t first, second;
        bool is_new;
    };
    struct Made {
        State state;
        std::int32_t parent;
    };

    // Largest number of words for which `falls` has enough bits.
    static constexpr std::size_t kPlaces = 64;

    // Finds the states one swap away, as many as the beam keeps; see `keep`.
    void expand() {
        made_.clear();
        keys_.clear();
        ranks_.clear();
        filter_.fill(0);
        cheapest_ = -1;
        for (std::size_t s = 0; s < states_.size(); ++s) {
            if (n_ <= kPlaces) {
                std::uint64_t falls = states_[s].falls;
                for (; falls && may_begin_run(states_[s]); falls &= falls - 1) swap_at(s, lowest_bit(falls));
                // All places are taken by states that are better than one with a new run.
                for (falls &= states_[s].places_going_on(); falls; falls &= falls - 1) swap_at(s, lowest_bit(falls));
                continue;
            }
            const std::int32_t* words = words_.data() + s * n_;
            for (std::size_t i = 0; i + 1 < n_; ++i)
                if (words[i] > words[i + 1]) swap_at(s, i);
        }
    }

    // Whether a state that begins a new run would take a place.
    bool may_begin_run(const State& state) const {
        return made_.size() < beam_ || rank(state.cost + 1, 1) < ranks_[worst_];
    }

    // The state after the words at a place and the next one are swapped.
    void swap_at(std::size_t s, std::size_t i) {
        const State& state = states_[s];
        const std::int32_t first = words_[s * n_ + i], second = words_[s * n_ + i + 1];
        const bool to_right = first == state.right, to_left = !to_right && second == state.left;
        State next{state.cost + (to_right || to_left ? 0 : 1), 0, to_left ? -1 : first, to_right ? -1 : second,
                   to_right || to_left ? state.length + 1 : 1, state.falls, static_cast<std::uint32_t>(i)};
        // A state that is no better than the worst one replaces neither that nor an equal state.
        if (made_.size() == beam_ && next.rank() >= ranks_[worst_]) return;
        // The hash of an order is the sum of its words, each times the factor of its place.
        next.hash = state.hash + static_cast<std::uint64_t>(first - second) * (factors_[i + 1] - factors_[i]);
        const std::uint64_t key = next.hash ^ marks_[static_cast<std::size_t>(first)];
        const Made made{next, static_cast<std::int32_t>(s)};
        if (cheapest_ < 0 || next.cost < cheapest_) {
            cheapest_ = next.cost;
            best_ = made;
        }
        keep(made, key);
    }

    // A new state replaces an equal one if it is cheaper. If all places are taken, it replaces the worst one (the last in
    // a tie) if it is better.
    void keep(const Made& made, std::uint64_t key) {
        std::size_t place = place_of(key);
        if (place < keys_.size()) {
            if (made.state.cost >= made_[place].state.cost) return;
        } else if (made_.size() < beam_) {
            keys_.push_back(key);
            made_.push_back(made);
            ranks_.push_back(made.state.rank());
            if (made_.size() == beam_) find_worst();
            return;
        } else {
            place = worst_;
        }
        const std::uint64_t before = ranks_[place];
        keys_[place] = key;
        made_[place] = made;
        ranks_[place] = made.state.rank();
        if (made_.size() == beam_ && place == worst_) find_next_worst(before);
    }

    // The place of an equal state, or the number of states if there is none. Mostly there is none, which one bit of each
    // key shows.
    std::size_t place_of(std::uint64_t key) {
        std::uint64_t& bits = filter_[key >> 6 & (filter_.size() - 1)];
        const std::uint64_t bit = 1ull << (key & 63);
        if (!(bits & bit)) {
            bits |= bit;
            return keys_.size();
        }
        return static_cast<std::size_t>(std::find(keys_.begin(), keys_.end(), key) - keys_.begin());
    }

    // Finds the worst state after the last one was replaced: the last one before it with the same rank, or the worst of
    // all.
    void find_next_worst(std::uint64_t rank) {
        for (std::size_t i = worst_; i-- > 0;)
            if (ranks_[i] == rank) {
                worst_ = i;
                return;
            }
        find_worst();
    }

    void find_worst() {
        // Without branches, which would be unpredictable, and in two independent chains, which run in parallel.
        const std::uint64_t* ranks = ranks_.data();
        const std::size_t n = ranks_.size(), half = n / 2;
        std::size_t low = 0, high = n - 1;
        std::uint64_t most_low = 0, most_high = 0;
        for (std::size_t i = 0; i < half; ++i) {
            const std::uint64_t x = ranks[i], y = ranks[half + i];
            low = x >= most_low ? i : low;
            most_low = x >= most_low ? x : most_low;
            high = y >= most_high ? half + i : high;
            most_high = y >= most_high ? y : most_high;
        }
        if (n % 2 && ranks[n - 1] >= most_high) high = n - 1, most_high = ranks[n - 1];
        worst_ = most_high >= most_low ? high : low;
    }

    // Makes the kept states the ones to expand.
    void go_on() {
        const auto first_swap = static_cast<std::int64_t>(swaps_.size());
        next_states_.clear();
        next_words_.resize(made_.size() * n_);
        for (std::size_t k = 0; k < made_.size(); ++k) {
            const Made& made = made_[k];
            next_states_.push_back(made.state);
            swaps_.push_back(swap_of(made));
            std::int32_t* words = next_words_.data() + k * n_;
            std::copy_n(words_.data() + static_cast<std::size_t>(made.parent) * n_, n_, words);
            std::swap(words[made.state.place], words[made.state.place + 1]);
            if (n_ <= kPlaces) update_falls(next_states_.back().falls, words, made.state.place);
        }
        states_.swap(next_states_);
        words_.swap(next_words_);
        last_swaps_ = first_swap;
    }

    // After a swap, only the bits of its place and of the two places beside it can differ.
    void update_falls(std::uint64_t& falls, const std::int32_t* words, std::size_t place) const {
        falls &= ~(1ull << place);
        const auto update = [&](std::size_t i) {
            falls = (falls & ~(1ull << i)) | static_cast<std::uint64_t>(words[i] > words[i + 1]) << i;
        };
        if (place > 0) update(place - 1);
        if (place + 2 < n_) update(place + 1);
    }

    Swap swap_of(const Made& made) const {
        const std::int32_t* words = words_.data() + static_cast<std::size_t>(made.parent) * n_ + made.state.place;
        const bool is_new = made.state.cost > states_[static_cast<std::size_t>(made.parent)].cost;
        return {last_swaps_ < 0 ? -1 : last_swaps_ + made.parent, words[0], words[1], is_new};
    }

    const Swap& swap_before(const Swap& swap) const { return swaps_[static_cast<std::size_t>(swap.before)]; }

    void read_runs(Swap swap) {
        while (true) {
            // The last two swaps of a run show which word it moves.
            Run run{swap.first, swap.second, !swap.is_new};
            if (run.is_shift && swap_before(swap).first != swap.first) std::swap(run.word, run.last);
            while (!swap.is_new) swap = swap_before(swap);
            run.word = sorted_[static_cast<std::size_t>(run.word)];
            run.last = sorted_[static_cast<std::size_t>(run.last)];
            runs_.push_back(run);
            if (swap.before < 0) break;
            swap = swap_before(swap);
        }
        std::reverse(runs_.begin(), runs_.end());
        std::stable_sort(runs_.begin(), runs_.end(), [](const Run& x, const Run& y) { return x.word < y.word; });
    }

    std::size_t beam_, n_ = 0;
    std::vector<State> states_, next_states_;
    std::vector<std::int32_t> words_, next_words_, sorted_;  // the words of the states, laid end to end
    std::vector<Made> made_;
    std::vector<std::uint64_t> factors_, marks_;  // factors of places and marks of words, for hashes
    std::vector<std::uint64_t> keys_, ranks_;  // of the kept states, which are few enough for a linear search
    std::array<std::uint64_t, 8> filter_{};    // bits of keys that were kept
    std::size_t worst_ = 0;                    // the worst of the kept states, if all places are taken
    Made best_{};
    std::int32_t cheapest_ = -1;
    std::vector<Swap> swaps_;
    std::int64_t last_swaps_ = -1;  // the last swap of the first state; those of the others follow; -1 at the start
    std::vector<Run> runs_;
};

Out2<std::int64_t> order_errors(const nb::tuple& orders_in, std::int64_t beam) {
    const Tokens orders(orders_in);
    if (beam < 1) throw std::invalid_argument("beam must be at least 1");
    std::vector<std::int64_t> rows;
    {
        const nb::gil_scoped_release release;
        Sorter sorter(static_cast<std::size_t>(beam));
        std::vector<std::int32_t> sorted;
        for (std::size_t t = 0; t < orders.n_texts; ++t) {
            const std::int32_t* order = orders.ids + orders.offsets[t];
            const auto n = static_cast<std::size_t>(orders.length(static_cast<std::int64_t>(t)));
            const auto falls = [](std::int32_t x, std::int32_t y) { return x >= y; };
            if (std::adjacent_find(order, order + n, falls) == order + n) continue;  // in order
            sorted.assign(order, order + n);
            std::sort(sorted.begin(), sorted.end());
            if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
                throw std::invalid_argument("places in the reference must be different");
            const auto place = [&](std::int32_t word) { return std::find(order, order + n, word) - order; };
            for (const Sorter::Run& run : sorter(order, n)) {
                rows.push_back(static_cast<std::int64_t>(t));
                rows.push_back(run.is_shift);
                rows.push_back(place(run.word));
                rows.push_back(place(run.last));
            }
        }
    }
    return to_numpy(std::move(rows), 4);
}

}  // namespace
}  // namespace mtassay

void bind_addicter(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("addicter_alignments", &mtassay::addicter_alignments, "pairs"_a, nanobind::kw_only(), "hypothesis_lemmas"_a,
          "hypothesis_tags"_a, "reference_lemmas"_a, "reference_tags"_a, "letters"_a, "tag_starts"_a, "tag_marks"_a);
    m.def("order_errors", &mtassay::order_errors, "orders"_a, nanobind::kw_only(), "beam"_a);
}
