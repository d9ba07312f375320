// Lines to token ids. Words are found by a table of byte classes; words of plain bytes are tokens unchanged, the others
// go through their tokenizer's rule, once per distinct word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "encode_rules.hpp"
#include "texts.hpp"
#include "vocabulary.hpp"

namespace mtassay {

inline constexpr std::size_t longest_remembered_word = 64;  // longer words are seldom repeated

inline void replace_all(std::string& text, std::string_view from, std::string_view to) {
    std::size_t at = text.find(from), kept = 0;
    if (at == std::string::npos) return;
    std::string out;
    for (; at != std::string::npos; at = text.find(from, kept)) {
        out.append(text, kept, at - kept).append(to);
        kept = at + from.size();
    }
    text = out.append(text, kept, std::string::npos);
}

inline std::string_view without_trailing_space(std::string_view line) {
    const char *p = line.data(), *const end = p + line.size(), *keep = p;
    while (p < end)
        if (!is_space(next_codepoint(p))) keep = p;
    return line.substr(0, static_cast<std::size_t>(keep - line.data()));
}

// Undoes SGML on the whole line, as 13a does before it splits words.
inline std::string_view undo_sgml(std::string_view line, std::string& buffer) {
    std::string text(without_trailing_space(line));
    replace_all(text, "<skipped>", "");
    replace_all(text, "-\n", "");
    replace_all(text, "\n", " ");
    replace_all(text, "&quot;", "\"");
    replace_all(text, "&amp;", "&");
    replace_all(text, "&lt;", "<");
    replace_all(text, "&gt;", ">");
    buffer.swap(text);
    return buffer;
}

inline std::string_view lower(std::string_view line, std::string& buffer) {
    buffer.assign(line);
    for (char& c : buffer) c = static_cast<char>(c | (static_cast<unsigned char>(c - 'A') < 26 ? 'a' - 'A' : 0));
    return buffer;
}

// The words of a line. None of this needs the vocabulary, so threads can do it in parallel.
class Line {
public:
    struct Found {
        Word word;
        bool needs_rule;
    };

    // `line` is not needed afterwards; the words are valid until the next call.
    void read(std::string_view line, const ByteClasses& classes) {
        unsigned seen = classify(line, classes);
        if (seen & sgml) seen = classify(undo_sgml(line, cleaned_), classes);
        if (seen & maybe_space) mark_wide_spaces();
        find_words();
    }
    const std::vector<Found>& words() const { return found_; }
    bool starts_with_space() const { return kinds_[0] & space; }

private:
    static constexpr std::uint64_t each_byte = 0x0101010101010101ull;
    static constexpr std::size_t padding = 8;  // eight bytes can be read at any place of a line

    // Copies the line and looks up the class of every byte; after the end everything is white space.
    unsigned classify(std::string_view line, const ByteClasses& byte_classes) {
        size_ = line.size();
        if (text_.size() < size_ + padding) {
            text_.resize(2 * size_ + padding);
            kinds_.resize(2 * size_ + padding);
        }
        std::copy(line.begin(), line.end(), text_.begin());
        std::fill_n(kinds_.begin() + size_, padding, space);
        // Local pointers: otherwise the compiler must assume that a write through a char* changes any member.
        const std::uint8_t* const classes = byte_classes.data();
        const char* const text = line.data();
        char* const kinds = kinds_.data();
        unsigned seen = 0;
        for (std::size_t i = 0, n = line.size(); i < n; ++i) {
            const std::uint8_t kind = classes[static_cast<unsigned char>(text[i])];
            kinds[i] = static_cast<char>(kind);
            seen |= kind;
        }
        return seen;
    }

    void mark_wide_spaces() {
        for (std::size_t i = 0; i < size_; ++i) {
            if (!(kinds_[i] & maybe_space)) continue;
            const char *start = text_.data() + i, *next = start;
            if (is_space(next_codepoint(next))) std::fill_n(kinds_.begin() + i, next - start, space);
        }
    }

    void find_words() {
        found_.clear();
        const char *const text = text_.data(), *const kinds = kinds_.data();
        for (std::size_t at = 0, n = size_; at < n;) {
            if (kinds[at] & space) {
                ++at;
                continue;
            }
            // Written in place, member by member: a copy would have to wait for the writes.
            Found& found = found_.emplace_back();
            read_word(text + at, kinds + at, found);
            at += found.word.text.size() + 1;  // white space, or the end
        }
    }

    // The word that begins at `start`, whose bytes are of these kinds; eight bytes at a time.
    static void read_word(const char* start, const char* start_kinds, Found& found) {
        bool needs_rule = false;
        for (std::size_t n = 0;; n += 8) {
            const std::uint64_t kinds = load_eight(start_kinds + n);
            const std::uint64_t ends = kinds & (each_byte * space);
            // All bits below the first white space; all bits if there is none.
            const std::uint64_t inside = (ends & (~ends + 1)) - 1;
            needs_rule |= (kinds & inside & (each_byte * special)) != 0;
            if (ends == 0) continue;
            const auto n_inside = static_cast<std::size_t>(((inside & each_byte) * each_byte) >> 56);
            const std::string_view text(start, n + n_inside);
            found.word.text = text;
            found.word.key = n == 0 ? Word::brief_key(text.size(), load_eight(start) & inside) : Word::key_of(text);
            found.needs_rule = needs_rule;
            return;
        }
    }

    std::size_t size_ = 0;
    std::vector<char> text_, kinds_;
    std::vector<Found> found_;
    std::string cleaned_;
};

// Looks up the words of lines; the lock of the vocabulary must be held.
template <typename Rule>
class WordEncoder {
public:
    WordEncoder(Rule& rule, Vocabulary& vocabulary, std::vector<std::int32_t>& ids)
        : rule_(rule), words_(vocabulary.words), memo_(vocabulary.memo), ids_(ids), sink_(vocabulary.words, ids) {}

    // Prefetches the slots of the words of `line`, which will be looked up soon.
    void prefetch(const Line& line) const {
        for (const Line::Found& found : line.words()) {
            if (found.needs_rule)
                memo_.prefetch(found.word);
            else
                words_.prefetch(found.word);
        }
    }

    void operator()(const Line& line) {
        const std::vector<Line::Found>& found = line.words();
        const bool bare_start = Rule::edges == Edges::stripped || !line.starts_with_space();
        for (std::size_t i = 0; i < found.size(); ++i) {
            if (found[i].needs_rule)
                split(found[i].word, {i == 0 && bare_start, i + 1 == found.size()});
            else
                sink_.token(found[i].word);
        }
    }

private:
    void split(const Word& word, Position position) {
        const bool same_everywhere = Rule::edges == Edges::padded || (!position.first && !position.last);
        if (!Rule::uses_memo || !same_everywhere || word.text.size() > longest_remembered_word)
            return rule_.split(word.text, position, sink_);
        if (memo_.append(word, ids_)) return;
        const std::size_t before = ids_.size();
        rule_.split(word.text, position, sink_);
        memo_.remember(word, ids_.data() + before, ids_.data() + ids_.size());
    }

    Rule& rule_;
    Interner& words_;
    WordMemo& memo_;
    std::vector<std::int32_t>& ids_;
    Sink sink_;
};

}  // namespace mtassay
