// All matches that METEOR's four stages allow between two texts. The specification is src/mtassay/kernels/meteor.py.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "meteor_facts.hpp"

namespace mtassay::meteor {

enum Stage : std::int32_t { exact = 0, stem = 1, synonym = 2, paraphrase = 3 };

struct Match {
    std::int32_t ref_start, ref_length, hyp_start, hyp_length, stage;
};

// The matches that start at each reference word, in the order in which the search tries them.
class Matches {
public:
    Matches(const WordFacts& facts, const PhraseTable& phrases) : facts_(facts), phrases_(phrases) {}

    void find(const std::int32_t* hyp, std::int32_t n_hyp, const std::int32_t* ref, std::int32_t n_ref) {
        hyp_ = hyp;
        ref_ = ref;
        n_hyp_ = n_hyp;
        n_ref_ = n_ref;
        // Lengths are compared, too, since an empty text begins where the next text does.
        const bool is_new = indexed_ != ref_ || n_indexed_ != n_ref_;
        indexed_ = ref_;
        n_indexed_ = n_ref_;
        if (is_new) {
            index_reference();
            if (!phrases_.empty()) list_phrases(ref_, n_ref_, ref_phrases_);
        }
        match_words();
        match_phrases();
        cover();
    }

    // How many matches start at reference word `j`.
    std::int32_t count(std::int32_t j) const { return n_words_at(j) + n_phrases_at(j); }

    // Calls `visit` with every match that starts at reference word `j`.
    template <typename Visit>
    void each(std::int32_t j, Visit visit) const {
        for (std::int32_t k = first_word_at(j); k < first_word_at(j) + n_words_at(j); ++k)
            visit(Match{j, 1, candidates_[k].hyp_start, 1, candidates_[k].stage});
        for (std::int32_t k = phrase_offsets_[j]; k < phrase_offsets_[j + 1]; ++k) visit(phrase_matches_[k]);
    }

    // Whether one match starts at reference word `j`, and none of its words has another.
    bool fixed(std::int32_t j, Match& match) const {
        if (count(j) != 1) return false;
        each(j, [&](const Match& only) { match = only; });
        const auto one = [](std::int32_t n) { return n == 1; };
        const auto hyp_first = hyp_cover_.begin() + match.hyp_start, ref_first = ref_cover_.begin() + match.ref_start;
        return std::all_of(hyp_first, hyp_first + match.hyp_length, one) &&
               std::all_of(ref_first, ref_first + match.ref_length, one);
    }

private:
    struct Candidate {
        std::int32_t hyp_start, stage;
    };
    struct Occurrence {
        std::int32_t start, length, phrase;
    };

    // Stages of single words.
    static constexpr std::int32_t n_stages = 3;
    // Matches of hypothesis words are forgotten when there are more words than this.
    static constexpr std::size_t most_known = 256;

    std::int32_t first_word_at(std::int32_t j) const { return offsets_[n_stages * ref_types_[j]]; }
    std::int32_t n_words_at(std::int32_t j) const {
        return offsets_[n_stages * (ref_types_[j] + 1)] - first_word_at(j);
    }
    std::int32_t n_phrases_at(std::int32_t j) const { return phrase_offsets_[j + 1] - phrase_offsets_[j]; }

    // ---- single words -----------------------------------------------------------------------------------------

    // Numbers the distinct words of the reference, and indexes them by id, stem and synset.
    void index_reference() {
        ref_types_.resize(static_cast<std::size_t>(n_ref_));
        type_ids_.clear();
        types_.reset(static_cast<std::size_t>(n_ref_));
        std::size_t n_synsets = 0;
        for (std::int32_t j = 0; j < n_ref_; ++j) {
            const std::int32_t known = types_.head(ref_[j]);
            ref_types_[j] = known >= 0 ? types_.entries[known].value : static_cast<std::int32_t>(type_ids_.size());
            if (known >= 0) continue;
            types_.insert(ref_[j], ref_types_[j]);
            type_ids_.push_back(ref_[j]);
            const Numbers synsets = facts_.synsets[ref_[j]];
            n_synsets += static_cast<std::size_t>(synsets.end() - synsets.begin());
        }
        stems_.reset(type_ids_.size());
        synsets_.reset(n_synsets);
        for (std::size_t t = 0; t < type_ids_.size(); ++t) {
            const auto type = static_cast<std::int32_t>(t);
            if (facts_.stems.data()[type_ids_[t]] != -1) stems_.insert(facts_.stems.data()[type_ids_[t]], type);
            for (const std::int32_t synset : facts_.synsets[type_ids_[t]]) synsets_.insert(synset, type);
        }
        forget_words();
    }

    void forget_words() {
        known_.reset(std::max<std::size_t>(most_known, static_cast<std::size_t>(n_hyp_)));
        seen_.assign(type_ids_.size(), -1);
        kinds_.clear();
        kind_offsets_.assign(1, 0);
    }

    // Finds the matches of each distinct word of the reference, by stage, then position.
    void match_words() {
        // Hypotheses of one reference share most of their words, so the matches of these words are kept.
        if (kind_offsets_.size() + static_cast<std::size_t>(n_hyp_) > most_known) forget_words();
        hyp_words_.resize(static_cast<std::size_t>(n_hyp_));
        offsets_.assign(n_stages * type_ids_.size() + 1, 0);
        for (std::int32_t i = 0; i < n_hyp_; ++i) {
            hyp_words_[i] = known_word(hyp_[i]);
            each_kind(hyp_words_[i], [&](std::int32_t kind) { ++offsets_[kind + 1]; });
        }
        for (std::size_t k = 1; k < offsets_.size(); ++k) offsets_[k] += offsets_[k - 1];
        candidates_.resize(static_cast<std::size_t>(offsets_.back()));
        filled_.assign(offsets_.begin(), offsets_.end());
        for (std::int32_t i = 0; i < n_hyp_; ++i)
            each_kind(hyp_words_[i], [&](std::int32_t kind) {
                candidates_[filled_[kind]++] = {i, kind % n_stages};
            });
    }

    template <typename Visit>
    void each_kind(std::int32_t word, Visit visit) const {
        for (std::int32_t k = kind_offsets_[word]; k < kind_offsets_[word + 1]; ++k) visit(kinds_[k]);
    }

    // The number of a hypothesis word among those whose matches are known.
    std::int32_t known_word(std::int32_t id) {
        const std::int32_t known = known_.head(id);
        if (known >= 0) return known_.entries[known].value;
        const auto word = static_cast<std::int32_t>(kind_offsets_.size()) - 1;
        known_.insert(id, word);
        const auto add = [&](std::int32_t type, std::int32_t stage) {
            if (stage == exact || type_ids_[type] != id) kinds_.push_back(n_stages * type + stage);
        };
        const std::int32_t same = types_.head(id);
        if (same >= 0) add(types_.entries[same].value, exact);
        if (facts_.stems.data()[id] != -1)
            for (std::int32_t e = stems_.head(facts_.stems.data()[id]); e >= 0; e = stems_.entries[e].next)
                add(stems_.entries[e].value, stem);
        for (const std::int32_t synset : facts_.synsets[id])
            for (std::int32_t e = synsets_.head(synset); e >= 0; e = synsets_.entries[e].next) {
                const std::int32_t type = synsets_.entries[e].value;
                if (seen_[type] == id) continue;
                seen_[type] = id;
                add(type, synonym);
            }
        kind_offsets_.push_back(static_cast<std::int32_t>(kinds_.size()));
        return word;
    }

    // ---- phrases ----------------------------------------------------------------------------------------------

    void match_phrases() {
        found_.clear();
        if (!phrases_.empty()) {
            list_phrases(hyp_, n_hyp_, hyp_phrases_);
            index_phrases(hyp_phrases_);
            for (const Occurrence& at : ref_phrases_)
                each_paraphrase(at, hyp_phrases_, [&](const Occurrence& other) {
                    found_.push_back({at.start, at.length, other.start, other.length, paraphrase});
                });
            index_phrases(ref_phrases_);
            for (const Occurrence& at : hyp_phrases_)
                each_paraphrase(at, ref_phrases_, [&](const Occurrence& other) {
                    found_.push_back({other.start, other.length, at.start, at.length, paraphrase});
                });
        }
        phrase_offsets_.assign(static_cast<std::size_t>(n_ref_) + 1, 0);
        for (const Match& match : found_) ++phrase_offsets_[match.ref_start + 1];
        for (std::int32_t j = 0; j < n_ref_; ++j) phrase_offsets_[j + 1] += phrase_offsets_[j];
        phrase_matches_.resize(found_.size());
        filled_.assign(phrase_offsets_.begin(), phrase_offsets_.end());
        for (const Match& match : found_) phrase_matches_[filled_[match.ref_start]++] = match;
    }

    // Phrases of the table that a text contains, by position, then length.
    void list_phrases(const std::int32_t* words, std::int32_t n, std::vector<Occurrence>& found) {
        found.clear();
        nodes_.resize(static_cast<std::size_t>(n));
        phrase_words_.resize(static_cast<std::size_t>(n));
        for (std::int32_t i = 0; i < n; ++i) {
            phrase_words_[i] = facts_.phrase_words.data()[words[i]];
            if (phrase_words_[i] >= 0) phrases_.fetch_child(0, phrase_words_[i]);
        }
        for (std::int32_t i = 0; i < n; ++i) {
            nodes_[i] = phrase_words_[i] < 0 ? -1 : phrases_.child(0, phrase_words_[i]);
            if (nodes_[i] < 0) continue;
            phrases_.fetch_phrase(nodes_[i]);
            if (i + 1 < n && phrase_words_[i + 1] >= 0) phrases_.fetch_child(nodes_[i], phrase_words_[i + 1]);
        }
        for (std::int32_t start = 0; start < n; ++start) {
            std::int32_t end = start, node = nodes_[start];
            while (node >= 0) {
                ++end;
                const std::int32_t phrase = phrases_.phrase(node);
                if (phrase >= 0) {
                    found.push_back({start, end - start, phrase});
                    phrases_.fetch_range(phrase);
                }
                node = end == n || phrase_words_[end] < 0 ? -1 : phrases_.child(node, phrase_words_[end]);
            }
        }
        for (const Occurrence& at : found) phrases_.fetch_paraphrases(at.phrase);
    }

    void index_phrases(const std::vector<Occurrence>& occurrences) {
        by_phrase_.reset(occurrences.size());
        filter_.fill(0);
        for (auto k = static_cast<std::int32_t>(occurrences.size()) - 1; k >= 0; --k) {
            by_phrase_.insert(occurrences[k].phrase, k);
            filter_[occurrences[k].phrase / 64 % filter_.size()] |= std::uint64_t{1} << occurrences[k].phrase % 64;
        }
    }

    // Calls `visit` with the places where the indexed text has a paraphrase of the phrase `at`.
    template <typename Visit>
    void each_paraphrase(const Occurrence& at, const std::vector<Occurrence>& indexed, Visit visit) const {
        for (const std::int32_t phrase : phrases_.paraphrases(at.phrase)) {
            if (phrase < 0 || !(filter_[phrase / 64 % filter_.size()] >> phrase % 64 & 1)) continue;
            for (std::int32_t e = by_phrase_.head(phrase); e >= 0; e = by_phrase_.entries[e].next)
                visit(indexed[by_phrase_.entries[e].value]);
        }
    }

    // ---- competition ------------------------------------------------------------------------------------------

    // Counts the matches of every word.
    void cover() {
        hyp_cover_.assign(static_cast<std::size_t>(n_hyp_), 0);
        ref_cover_.assign(static_cast<std::size_t>(n_ref_), 0);
        for (std::int32_t j = 0; j < n_ref_; ++j) {
            ref_cover_[j] += n_words_at(j);
            for (std::int32_t k = first_word_at(j); k < first_word_at(j) + n_words_at(j); ++k) {
                // Numbers above two need not be distinguished.
                std::int32_t& n = hyp_cover_[candidates_[k].hyp_start];
                n = std::min(n + 1, 2);
            }
        }
        for (const Match& match : found_) {
            for (std::int32_t k = 0; k < match.hyp_length; ++k) ++hyp_cover_[match.hyp_start + k];
            for (std::int32_t k = 0; k < match.ref_length; ++k) ++ref_cover_[match.ref_start + k];
        }
    }

    const WordFacts& facts_;
    const PhraseTable& phrases_;
    const std::int32_t *hyp_ = nullptr, *ref_ = nullptr;
    std::int32_t n_hyp_ = 0, n_ref_ = 0;

    const std::int32_t* indexed_ = nullptr;    // the reference to which the following members belong, and its length
    std::int32_t n_indexed_ = 0;
    std::vector<std::int32_t> ref_types_;      // by position, the number of the word among the distinct ones
    std::vector<std::int32_t> type_ids_;       // ids of the distinct words
    Multimap types_, stems_, synsets_;         // distinct words by id, stem and synset
    std::vector<std::int32_t> seen_;           // the last hypothesis word that matched a distinct word by synset
    Multimap known_;                           // words of hypotheses whose matches are known
    std::vector<std::int32_t> kinds_, kind_offsets_;  // matches of each known word: n_stages · distinct word + stage

    std::vector<std::int32_t> hyp_words_;      // by position, the number of the word among the known ones
    std::vector<std::int32_t> offsets_;        // offsets of candidates, by distinct word and stage
    std::vector<Candidate> candidates_;        // matches of each distinct reference word

    std::vector<std::int32_t> phrase_words_, nodes_;  // of one text: its words, and the node to which each leads from the root
    std::vector<Occurrence> hyp_phrases_, ref_phrases_;
    Multimap by_phrase_;
    std::array<std::uint64_t, 64> filter_{};        // bits of phrases that occur; most do not
    std::vector<Match> found_, phrase_matches_;     // in the order found, and by reference word
    std::vector<std::int32_t> phrase_offsets_, filled_;
    std::vector<std::int32_t> hyp_cover_, ref_cover_;
};

}  // namespace mtassay::meteor
