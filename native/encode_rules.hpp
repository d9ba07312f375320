// The tokenizers, word by word: a word is a piece between white space, and each rule decides which words need work and
// how they are split into tokens. This gives the same tokens as sacreBLEU's passes over whole lines, because white space
// is never a digit, full stop, comma, punctuation or symbol, so no match of a pass consumes a character that the next
// word needs.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "texts.hpp"
#include "vocabulary.hpp"

namespace mtassay {

// What a byte means for finding words; a set of these bits.
enum ByteClass : std::uint8_t {
    space = 1,        // white space
    maybe_space = 2,  // begins a character that may be white space
    special = 4,      // a word with such a byte goes through its tokenizer's rule
    sgml = 8,         // a line with such a byte may have SGML, which 13a undoes first
};
using ByteClasses = std::array<std::uint8_t, 256>;

inline ByteClasses white_space_classes() {
    ByteClasses classes{};
    for (std::uint32_t c = 0; c < 0x80; ++c)
        if (is_space(c)) classes[c] = space;
    for (unsigned lead : {0xC2u, 0xE1u, 0xE2u, 0xE3u}) classes[lead] = maybe_space;
    return classes;
}

// What a rule sees at the two ends of a line: always a space; nothing; or nothing at the end, and white space at the start
// if the line begins with it.
enum class Edges { padded, stripped, right_stripped };

// Whether a word has no neighbouring character for a rule to look at.
struct Position {
    bool first;
    bool last;
};

class Sink {
public:
    Sink(Interner& words, std::vector<std::int32_t>& ids) : words_(words), ids_(ids) {}
    std::int32_t token(const Word& word) {
        ids_.push_back(words_.add(word));
        return ids_.back();
    }
    std::int32_t token(std::string_view text) { return token(Word::of(text)); }
    void known_token(std::int32_t id) { ids_.push_back(id); }

private:
    Interner& words_;
    std::vector<std::int32_t>& ids_;
};

// Splits at white space only.
struct NoneRule {
    static constexpr Edges edges = Edges::padded;
    static constexpr bool uses_memo = false;
    ByteClasses classes = white_space_classes();

    void split(std::string_view word, Position, Sink& sink) { sink.token(word); }
};

// Splits at ASCII white space only: words may contain any other white space.
struct AsciiSpaceRule : NoneRule {
    AsciiSpaceRule() {
        classes.fill(0);
        for (unsigned char c : {' ', '\t', '\n', '\v', '\f', '\r'}) classes[c] = space;
    }
};

inline bool is_ascii_punctuation(unsigned char c) {
    return (c >= 0x21 && c <= 0x2F) || (c >= 0x3A && c <= 0x40) || (c >= 0x5B && c <= 0x60) || (c >= 0x7B && c <= 0x7E);
}

// The words of chrF++: one punctuation mark is separated at the end, or else at the start.
struct ChrfRule {
    static constexpr Edges edges = Edges::padded;
    static constexpr bool uses_memo = true;
    ByteClasses classes = white_space_classes();

    ChrfRule() {
        for (unsigned c = 0; c < 0x80; ++c)
            if (is_ascii_punctuation(static_cast<unsigned char>(c))) classes[c] |= special;
    }

    void split(std::string_view word, Position, Sink& sink) {
        const std::size_t n = word.size();  // also larger than 1 if the other character has several bytes
        if (n > 1 && is_ascii_punctuation(static_cast<unsigned char>(word[n - 1]))) {
            sink.token(word.substr(0, n - 1));
            sink.token(word.substr(n - 1));
        } else if (n > 1 && is_ascii_punctuation(static_cast<unsigned char>(word[0]))) {
            sink.token(word.substr(0, 1));
            sink.token(word.substr(1));
        } else {
            sink.token(word);
        }
    }
};

// ROUGE's words: letters A-Z and digits, everything else separates.
struct RougeRule {
    static constexpr Edges edges = Edges::padded;
    static constexpr bool uses_memo = true;
    ByteClasses classes = white_space_classes();

    RougeRule() {
        for (unsigned c = 0; c < 0x100; ++c)
            if (!is_letter_or_digit(static_cast<unsigned char>(c)) && classes[c] != space) classes[c] |= special;
    }

    void split(std::string_view word, Position, Sink& sink) {
        for (std::size_t begin = 0, end; begin < word.size(); begin = end + 1) {
            end = begin;
            while (end < word.size() && is_letter_or_digit(static_cast<unsigned char>(word[end]))) ++end;
            if (end > begin) sink.token(word.substr(begin, end - begin));
        }
    }

private:
    static bool is_letter_or_digit(unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    }
};

// Every code point is a token.
struct CharRule {
    static constexpr Edges edges = Edges::padded;
    static constexpr bool uses_memo = false;
    ByteClasses classes = white_space_classes();
    std::array<std::int32_t, 0x80> ascii_ids;

    CharRule() {
        for (auto& c : classes)
            if (c != space) c |= special;
        ascii_ids.fill(-1);
    }

    void split(std::string_view word, Position, Sink& sink) {
        for (const char *p = word.data(), *end = p + word.size(); p < end;) {
            const char* start = p;
            const std::uint32_t c = next_codepoint(p);
            if (c < 0x80 && ascii_ids[c] >= 0) {
                sink.known_token(ascii_ids[c]);
                continue;
            }
            const std::int32_t id = sink.token(std::string_view(start, static_cast<std::size_t>(p - start)));
            if (c < 0x80) ascii_ids[c] = id;
        }
    }
};

// Rewrites each pair of neighbours that `matches`, left to right and without overlap: ab becomes "a b ", or " a b" if
// `before`. The result is in `text`; `scratch` is overwritten.
template <typename String, typename Matches>
void separate(String& text, String& scratch, Matches matches, bool before) {
    scratch.clear();
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i + 1 == text.size() || !matches(text[i], text[i + 1])) {
            scratch += text[i];
            continue;
        }
        if (before) scratch += ' ';
        scratch += text[i];
        scratch += ' ';
        scratch += text[++i];
        if (!before) scratch += ' ';
    }
    text.swap(scratch);
}

// mteval-v13a's four passes. They work on bytes: what they look for is ASCII, and the rest of a character of several
// bytes behaves as any other character that is not a digit.
class WesternPasses {
public:
    // Characters around which the first pass puts spaces.
    static bool always_apart(unsigned char c) {
        return is_ascii_punctuation(c) && c != '\'' && c != ',' && c != '-' && c != '.';
    }

    static ByteClasses byte_classes() {
        ByteClasses classes = white_space_classes();
        for (unsigned c = 0; c < 0x80; ++c)
            if (is_ascii_punctuation(static_cast<unsigned char>(c)) && c != '\'') classes[c] |= special;
        return classes;
    }

    void split(std::string_view word, bool space_before, bool space_after, Sink& sink) {
        text_.clear();
        if (space_before) text_ += ' ';
        for (char c : word) {
            if (always_apart(static_cast<unsigned char>(c))) {
                text_ += ' ';
                text_ += c;
                text_ += ' ';
            } else {
                text_ += c;
            }
        }
        if (space_after) text_ += ' ';
        separate(text_, scratch_, [](char a, char b) { return !digit(a) && point(b); }, false);
        separate(text_, scratch_, [](char a, char b) { return point(a) && !digit(b); }, true);
        separate(text_, scratch_, [](char a, char b) { return digit(a) && b == '-'; }, false);
        std::size_t begin = 0;
        for (std::size_t i = 0; i <= text_.size(); ++i) {
            if (i < text_.size() && text_[i] != ' ') continue;
            if (i > begin) sink.token(std::string_view(text_).substr(begin, i - begin));
            begin = i + 1;
        }
    }

private:
    static bool digit(char c) { return c >= '0' && c <= '9'; }
    static bool point(char c) { return c == '.' || c == ','; }

    std::string text_, scratch_;
};

struct Rule13a {
    static constexpr Edges edges = Edges::padded;
    static constexpr bool uses_memo = true;
    ByteClasses classes = WesternPasses::byte_classes();
    WesternPasses passes;

    Rule13a() {
        for (unsigned char c : {'&', '<', '\n'}) classes[c] |= sgml;
    }

    void split(std::string_view word, Position, Sink& sink) { passes.split(word, true, true, sink); }
};

// Every Chinese character is a token; 13a's passes split the text between them.
struct ZhRule {
    static constexpr Edges edges = Edges::stripped;
    static constexpr bool uses_memo = true;
    ByteClasses classes = WesternPasses::byte_classes();
    WesternPasses passes;

    ZhRule() {
        for (unsigned lead = 0xE2; lead <= 0xEF; ++lead) classes[lead] |= special;
    }

    // Parity: sacreBLEU; mtassay/text/tokenizers/chinese.py explains the ranges.
    static bool is_chinese(std::uint32_t c) {
        static constexpr std::uint32_t ranges[][2] = {
            {0x2001, 0x2A6D}, {0x2E80, 0x2EFF}, {0x2F00, 0x2FDF}, {0x2FF0, 0x303F}, {0x3100, 0x312F}, {0x31A0, 0x31BF},
            {0x31C0, 0x31EF}, {0x3200, 0x33FF}, {0x3400, 0x4DB5}, {0x4E00, 0x9FBB}, {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
            {0xFA70, 0xFAD9}, {0xFE10, 0xFE1F}, {0xFE30, 0xFE4F}, {0xFF00, 0xFFEF}};
        for (const auto& range : ranges)
            if (c <= range[1]) return c >= range[0];
        return false;
    }

    void split(std::string_view word, Position position, Sink& sink) {
        const char *p = word.data(), *const end = p + word.size(), *begin = p;
        bool space_before = !position.first;
        while (p < end) {
            const char* start = p;
            if (!is_chinese(next_codepoint(p))) continue;
            if (start > begin) passes.split(view(begin, start), space_before, true, sink);
            sink.token(view(start, p));
            begin = p;
            space_before = true;
        }
        if (end > begin) passes.split(view(begin, end), space_before, !position.last, sink);
    }

private:
    static std::string_view view(const char* begin, const char* end) {
        return {begin, static_cast<std::size_t>(end - begin)};
    }
};

// mteval-v14's three passes, on code points, with the classes of mtassay/text/unicode_classes.py.
class IntlRule {
public:
    static constexpr Edges edges = Edges::right_stripped;
    static constexpr bool uses_memo = true;
    ByteClasses classes = white_space_classes();

    // `table` has one entry for each of 0x110000 code points and stays alive as long as the rule.
    explicit IntlRule(const unsigned char* table) : table_(table) {
        for (unsigned c = 0; c < 0x80; ++c)
            if (table[c] == punctuation || table[c] == symbol) classes[c] |= special;
        for (unsigned lead = 0xC2; lead <= 0xF4; ++lead) classes[lead] |= special;
    }

    void split(std::string_view word, Position position, Sink& sink) {
        text_.clear();
        if (!position.first) text_.push_back(' ');
        for (const char *p = word.data(), *end = p + word.size(); p < end;) text_.push_back(next_codepoint(p));
        if (!position.last) text_.push_back(' ');
        const auto after_other = [&](char32_t a, char32_t b) { return !is(a, number) && is(b, punctuation); };
        const auto before_other = [&](char32_t a, char32_t b) { return is(a, punctuation) && !is(b, number); };
        separate(text_, scratch_, after_other, false);
        separate(text_, scratch_, before_other, true);
        for (char32_t c : text_) {
            if (c == ' ' || is(c, symbol)) flush(sink);
            if (c == ' ') continue;
            append_utf8(c);
            if (is(c, symbol)) flush(sink);
        }
        flush(sink);
    }

private:
    static constexpr unsigned char punctuation = 1, symbol = 2, number = 3;
    bool is(char32_t c, unsigned char kind) const { return table_[c] == kind; }

    void flush(Sink& sink) {
        if (!token_.empty()) sink.token(token_);
        token_.clear();
    }

    void append_utf8(char32_t c) {
        auto byte = [&](std::uint32_t value) { token_ += static_cast<char>(static_cast<unsigned char>(value)); };
        if (c < 0x80) return byte(c);
        if (c < 0x800) {
            byte(0xC0 | (c >> 6));
        } else {
            if (c < 0x10000) {
                byte(0xE0 | (c >> 12));
            } else {
                byte(0xF0 | (c >> 18));
                byte(0x80 | ((c >> 12) & 0x3F));
            }
            byte(0x80 | ((c >> 6) & 0x3F));
        }
        byte(0x80 | (c & 0x3F));
    }

    const unsigned char* table_;
    std::u32string text_, scratch_;
    std::string token_;
};

}  // namespace mtassay
