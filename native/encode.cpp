// From texts to token ids: the functions that Python calls, and the rule of each tokenizer.
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
#include "encode_lines.hpp"
#include "encode_rules.hpp"
#include "texts.hpp"
#include "vocabulary.hpp"

namespace mtassay {
namespace {

struct Encoded {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets{0};
};

// Number of lines that are read before their words are looked up: few enough to stay in the first-level cache.
constexpr std::size_t lines_at_once = 8;

template <typename Rule>
void encode_lines(const TextViews& texts, Rule rule, const std::string& tokenizer, Vocabulary& vocabulary,
                  Encoded& out) {
    std::array<Line, lines_at_once> lines;
    WordEncoder<Rule> encode_words(rule, vocabulary, out.ids);
    std::string lowered;
    for (std::size_t first = 0; first < texts.size(); first += lines_at_once) {
        const std::size_t n = std::min(lines_at_once, texts.size() - first);
        for (std::size_t i = 0; i < n; ++i) {
            const std::string_view text = texts[first + i];
            lines[i].read(texts.lower_ascii() ? lower(text, lowered) : text, rule.classes);
        }
        const std::lock_guard<BriefLock> mine(vocabulary.lock);
        vocabulary.memo.open(tokenizer);
        for (std::size_t i = 0; i < n; ++i) encode_words.prefetch(lines[i]);
        for (std::size_t i = 0; i < n; ++i) {
            encode_words(lines[i]);
            out.offsets.push_back(static_cast<std::int64_t>(out.ids.size()));
        }
    }
}

void encode_as(const std::string& tokenizer, const TextViews& texts, const unsigned char* classes,
               Vocabulary& vocabulary, Encoded& out) {
    const auto by = [&](auto rule) { encode_lines(texts, rule, tokenizer, vocabulary, out); };
    if (tokenizer == "none") return by(NoneRule());
    if (tokenizer == "ascii-space") return by(AsciiSpaceRule());
    if (tokenizer == "13a") return by(Rule13a());
    if (tokenizer == "zh") return by(ZhRule());
    if (tokenizer == "char") return by(CharRule());
    if (tokenizer == "chrf") return by(ChrfRule());
    if (tokenizer == "rouge") return by(RougeRule());
    if (tokenizer == "intl") return by(IntlRule(classes));
    throw std::invalid_argument("the compiled kernels have no tokenizer '" + tokenizer + "'");
}

std::size_t n_bytes(const TextViews& texts) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < texts.size(); ++i) n += texts[i].size();
    return n;
}

Case case_of(const std::string& name) {
    if (name == "mixed") return Case::mixed;
    if (name == "lower") return Case::lower;
    if (name == "ascii") return Case::ascii;
    throw std::invalid_argument("unknown letter case '" + name + "'");
}

nb::bytes unicode_classes() {
    auto table = nb::cast<nb::bytes>(nb::module_::import_("mtassay.text.unicode_classes").attr("class_table")());
    if (table.size() != 0x110000) throw std::invalid_argument("the table of classes must have an entry per code point");
    return table;
}

nb::tuple encode_texts(const nb::sequence& texts, const std::string& tokenizer, const std::string& letter_case,
                       Vocabulary& vocabulary) {
    const TextViews views(texts, case_of(letter_case));
    const nb::bytes table = tokenizer == "intl" ? unicode_classes() : nb::bytes("", 0);
    const auto* classes = static_cast<const unsigned char*>(table.data());
    Encoded out;
    {
        const nb::gil_scoped_release no_gil;
        out.ids.reserve(n_bytes(views) / 4);  // words have about four letters, and a space
        out.offsets.reserve(views.size() + 1);
        encode_as(tokenizer, views, classes, vocabulary, out);
    }
    return nb::make_tuple(to_numpy(std::move(out.ids)), to_numpy(std::move(out.offsets)));
}

// Writes code points, lower-cased or without white space if requested. ASCII goes through two small tables.
class CodepointWriter {
public:
    CodepointWriter(bool lower_ascii, bool keep_whitespace) : keep_whitespace_(keep_whitespace) {
        for (std::uint32_t c = 0; c < 0x80; ++c) {
            written_[c] = static_cast<std::uint8_t>(lower_ascii && c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
            length_[c] = keep_whitespace || !is_space(c);
        }
    }

    // Writes at `to` and returns the position after the last one; there must be room for every code point of `text` and
    // one more.
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

nb::tuple codepoints(const nb::sequence& texts, const std::string& letter_case, bool keep_whitespace) {
    const TextViews views(texts, case_of(letter_case));
    std::unique_ptr<std::int32_t[]> ids;  // not a vector, which would initialise it first
    std::vector<std::int64_t> offsets{0};
    {
        const nb::gil_scoped_release no_gil;
        // There are no more code points than bytes, and memory that is not used costs nothing.
        ids.reset(new std::int32_t[n_bytes(views) + 1]);
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
    const std::lock_guard<BriefLock> mine(vocabulary.lock);
    return vocabulary.words.size();
}

// The lock is released before Python objects are made: that may run other code, which may need the lock.
nb::str word(Vocabulary& vocabulary, std::int64_t id) {
    std::string bytes;
    {
        const std::lock_guard<BriefLock> mine(vocabulary.lock);
        if (id < 0 || static_cast<std::size_t>(id) >= vocabulary.words.size())
            throw nb::index_error("no word has this id");
        bytes = vocabulary.words[static_cast<std::size_t>(id)];
    }
    return to_python(bytes);
}

nb::list words(Vocabulary& vocabulary) {
    std::vector<std::string> copies;
    {
        const std::lock_guard<BriefLock> mine(vocabulary.lock);
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
    m.def("encode_texts", &encode_texts, "texts"_a, "tokenizer"_a, nb::kw_only(), "case"_a, "vocabulary"_a);
    m.def("codepoints", &codepoints, "texts"_a, nb::kw_only(), "case"_a, "keep_whitespace"_a);
}
