// From texts to token ids. Words are found by a table of byte classes; those of plain bytes are tokens as they are, the
// others go through their tokenizer's rule, once per different word.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "encode_rules.hpp"
#include "texts.hpp"
#include "vocabulary.hpp"

namespace mtassay {
namespace {

constexpr std::size_t longest_remembered_word = 64;  // longer ones seldom come again

void replace_all(std::string& text, std::string_view from, std::string_view to) {
    std::size_t at = text.find(from), kept = 0;
    if (at == std::string::npos) return;
    std::string out;
    for (; at != std::string::npos; at = text.find(from, kept)) {
        out.append(text, kept, at - kept).append(to);
        kept = at + from.size();
    }
    text = out.append(text, kept, std::string::npos);
}

std::string_view without_trailing_space(std::string_view line) {
    const char *p = line.data(), *const end = p + line.size(), *keep = p;
    while (p < end)
        if (!is_space(next_codepoint(p))) keep = p;
    return line.substr(0, static_cast<std::size_t>(keep - line.data()));
}

// What 13a undoes on the whole line before it looks at words.
std::string_view undo_sgml(std::string_view line, std::string& buffer) {
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

std::string_view lower(std::string_view line, std::string& buffer) {
    buffer.assign(line);
    for (char& c : buffer) c = static_cast<char>(c + (c >= 'A' && c <= 'Z' ? 'a' - 'A' : 0));
    return buffer;
}

template <typename Rule>
class LineEncoder {
public:
    LineEncoder(Rule& rule, Vocabulary& vocabulary, std::vector<std::int32_t>& ids)
        : rule_(rule), words_(vocabulary.words), memo_(vocabulary.memo), ids_(ids), sink_(vocabulary.words, ids) {}

    void operator()(std::string_view line) {
        unsigned seen = classify(line);
        if (seen & sgml) seen = classify(undo_sgml(line, cleaned_));
        if (seen & maybe_space) mark_wide_spaces();
        find_words();
        for (std::size_t i = 0; i < found_.size(); ++i) {
            if (found_[i].needs_rule)
                split(found_[i].word, {i == 0, i + 1 == found_.size()});
            else
                sink_.token(found_[i].word);
        }
    }

private:
    struct Found {
        Word word;
        bool needs_rule;
    };
    static constexpr std::uint64_t each_byte = 0x0101010101010101ull;
    static constexpr std::size_t padding = 8;  // eight bytes can be read at any place of a line

    // Copies the line and looks up the class of every byte; behind the end all is white space.
    unsigned classify(std::string_view line) {
        size_ = line.size();
        if (text_.size() < size_ + padding) {
            text_.resize(2 * size_ + padding);
            kinds_.resize(2 * size_ + padding);
        }
        std::copy(line.begin(), line.end(), text_.begin());
        std::fill_n(kinds_.begin() + size_, padding, space);
        // Local names: what is written through a char* might otherwise be any member.
        const std::uint8_t* const classes = rule_.classes.data();
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

    // Finds all words of the line first, so that their places in the tables are on the way when they are looked up.
    void find_words() {
        found_.clear();
        for (std::size_t at = 0; at < size_;) {
            if (kinds_[at] & space) {
                ++at;
                continue;
            }
            bool needs_rule = false;
            const Word word = word_at(at, needs_rule);
            if (needs_rule)
                memo_.prefetch(word);
            else
                words_.prefetch(word);
            found_.push_back({word, needs_rule});
            at += word.text.size();
        }
    }

    // The word that begins at `at`, eight bytes at a time.
    Word word_at(std::size_t at, bool& needs_rule) const {
        for (std::size_t n = 0;;) {
            const std::uint64_t kinds = load_eight(kinds_.data() + at + n);
            const std::uint64_t ends = kinds & (each_byte * space);
            // All bits below the first white space; all bits at all if there is none.
            const std::uint64_t inside = (ends & (~ends + 1)) - 1;
            needs_rule |= (kinds & inside & (each_byte * special)) != 0;
            const auto n_inside = static_cast<std::size_t>(((inside & each_byte) * each_byte) >> 56);
            const std::string_view text(text_.data() + at, n + n_inside);
            if (ends != 0) return n == 0 ? Word::brief(text, load_eight(text.data()) & inside) : Word::of(text);
            n += 8;
        }
    }

    void split(const Word& word, Position position) {
        const bool same_everywhere = !Rule::uses_edges || (!position.first && !position.last);
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
    std::size_t size_ = 0;
    std::vector<char> text_, kinds_;
    std::vector<Found> found_;
    std::string cleaned_;
};

struct Encoded {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets{0};
};

template <typename Rule>
void encode_lines(const TextViews& texts, Rule rule, Vocabulary& vocabulary, Encoded& out) {
    LineEncoder<Rule> encode_line(rule, vocabulary, out.ids);
    std::string lowered;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        encode_line(texts.lower_ascii() ? lower(texts[i], lowered) : texts[i]);
        out.offsets.push_back(static_cast<std::int64_t>(out.ids.size()));
    }
}

void encode_as(const std::string& tokenizer, const TextViews& texts, const unsigned char* classes,
               Vocabulary& vocabulary, Encoded& out) {
    if (tokenizer == "none") return encode_lines(texts, NoneRule(), vocabulary, out);
    if (tokenizer == "13a") return encode_lines(texts, Rule13a(), vocabulary, out);
    if (tokenizer == "zh") return encode_lines(texts, ZhRule(), vocabulary, out);
    if (tokenizer == "char") return encode_lines(texts, CharRule(), vocabulary, out);
    if (tokenizer == "chrf") return encode_lines(texts, ChrfRule(), vocabulary, out);
    if (tokenizer == "intl") return encode_lines(texts, IntlRule(classes), vocabulary, out);
    throw std::invalid_argument("the compiled kernels have no tokenizer '" + tokenizer + "'");
}

std::size_t n_bytes(const TextViews& texts) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) n += texts[i].size();
    return n;
}

Case to_case(int value) {
    if (value < 0 || value > 2) throw std::invalid_argument("case must be 0, 1 or 2");
    return static_cast<Case>(value);
}

nb::bytes unicode_classes() {
    auto table = nb::cast<nb::bytes>(nb::module_::import_("mtassay.text.unicode_classes").attr("class_table")());
    if (table.size() != 0x110000) throw std::invalid_argument("the table of classes must have an entry per code point");
    return table;
}

nb::tuple encode(nb::sequence texts, const std::string& tokenizer, int letter_case, Vocabulary& vocabulary) {
    const TextViews views(texts, to_case(letter_case));
    const nb::bytes table = tokenizer == "intl" ? unicode_classes() : nb::bytes("", 0);
    const auto* classes = static_cast<const unsigned char*>(table.data());
    Encoded out;
    {
        const nb::gil_scoped_release no_gil;
        const std::lock_guard<std::mutex> mine(vocabulary.lock);
        out.ids.reserve(n_bytes(views) / 4);  // words have about four letters, and a space
        out.offsets.reserve(views.size() + 1);
        vocabulary.memo.open(tokenizer);
        encode_as(tokenizer, views, classes, vocabulary, out);
    }
    return nb::make_tuple(to_numpy(std::move(out.ids)), to_numpy(std::move(out.offsets)));
}

std::size_t n_codepoints(const TextViews& texts) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < texts.size(); ++i)
        for (char c : texts[i]) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return n;
}

// Writes code points, lower-cased or without white space as wanted. ASCII goes through two small tables.
class CodepointWriter {
public:
    CodepointWriter(bool lower_ascii, bool keep_whitespace) : keep_whitespace_(keep_whitespace) {
        for (std::uint32_t c = 0; c < 0x80; ++c) {
            written_[c] = static_cast<std::uint8_t>(lower_ascii && c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
            length_[c] = keep_whitespace || !is_space(c);
        }
    }

    // Writes at `to` and returns the place behind; there must be room for every code point of `text` and one more.
    std::int32_t* operator()(std::string_view text, std::int32_t* to) const {
        for (const char *p = text.data(), *const end = p + text.size(); p < end;) {
            const std::uint32_t c = next_codepoint(p);
            *to = static_cast<std::int32_t>(c < 0x80 ? written_[c] : c);
            to += c < 0x80 ? length_[c] : keep_whitespace_ || !is_space(c);
        }
        return to;
    }

private:
    bool keep_whitespace_;
    std::array<std::uint8_t, 0x80> written_, length_;
};

nb::tuple codepoints(nb::sequence texts, int letter_case, bool keep_whitespace) {
    const TextViews views(texts, to_case(letter_case));
    std::unique_ptr<std::int32_t[]> ids;  // not a vector: nothing is written twice
    std::vector<std::int64_t> offsets{0};
    {
        const nb::gil_scoped_release no_gil;
        ids.reset(new std::int32_t[n_codepoints(views) + 1]);
        offsets.reserve(views.size() + 1);
        const CodepointWriter write(views.lower_ascii(), keep_whitespace);
        std::int32_t* to = ids.get();
        for (std::size_t i = 0; i < views.size(); ++i) {
            to = write(views[i], to);
            offsets.push_back(to - ids.get());
        }
    }
    const auto n_ids = static_cast<std::size_t>(offsets.back());
    auto* data = ids.get();
    const nb::capsule owner(ids.release(), [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
    return nb::make_tuple(Out1<std::int32_t>(data, {n_ids}, owner), to_numpy(std::move(offsets)));
}

nb::str to_python(std::string_view word) {
    PyObject* text = PyUnicode_DecodeUTF8(word.data(), static_cast<Py_ssize_t>(word.size()), "surrogatepass");
    if (text == nullptr) throw nb::python_error();
    return nb::steal<nb::str>(text);
}

std::size_t n_words(Vocabulary& vocabulary) {
    const std::lock_guard<std::mutex> mine(vocabulary.lock);
    return vocabulary.words.size();
}

// The lock is given back before Python makes objects: that may run other code, which may want the lock.
nb::str word(Vocabulary& vocabulary, std::int64_t id) {
    std::string bytes;
    {
        const std::lock_guard<std::mutex> mine(vocabulary.lock);
        if (id < 0 || static_cast<std::size_t>(id) >= vocabulary.words.size())
            throw nb::index_error("no word has this id");
        bytes = vocabulary.words[static_cast<std::size_t>(id)];
    }
    return to_python(bytes);
}

nb::list words(Vocabulary& vocabulary) {
    std::vector<std::string> copies;
    {
        const std::lock_guard<std::mutex> mine(vocabulary.lock);
        for (std::size_t id = 0; id < vocabulary.words.size(); ++id) copies.emplace_back(vocabulary.words[id]);
    }
    nb::list all;
    for (const std::string& bytes : copies) all.append(to_python(bytes));
    return all;
}

}  // namespace
}  // namespace mtassay

void bind_encode(nanobind::module_& m) {
    using namespace mtassay;
    using namespace nb::literals;
    nb::class_<Vocabulary>(m, "Vocabulary", "The words seen so far, each with its id.")
        .def(nb::init<>())
        .def("__len__", &n_words)
        .def("word", &word, "id"_a, "Return the word that has this id.")
        .def("words", &words, "Return all words in the order of their ids.");
    m.def("encode", &encode, "texts"_a, "tokenizer"_a, "case"_a, "vocabulary"_a,
          "Ids of all tokens end to end, and where each text begins; see mtassay.kernels.encode.");
    m.def("codepoints", &codepoints, "texts"_a, "case"_a, "keep_whitespace"_a,
          "Code points of all texts end to end, and where each text begins; see mtassay.kernels.encode.");
}
