// From texts to token ids. Words are found by a table of byte classes; those of plain bytes are tokens as they are, the
// others go through their tokenizer's rule, once per different word.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <cstring>
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

template <typename Rule>
class LineEncoder {
public:
    LineEncoder(Rule& rule, Vocabulary& vocabulary, std::vector<std::int32_t>& ids)
        : rule_(rule), memo_(vocabulary.memo), ids_(ids), sink_(vocabulary.words, ids) {}

    void operator()(std::string_view line) {
        const char *p = line.data(), *const end = p + line.size();
        bool first = true;
        for (p = skip_space(p, end); p < end; first = false) {
            const char* const start = p;
            unsigned seen = 0;
            p = skip_word(p, end, seen);
            const std::string_view word(start, static_cast<std::size_t>(p - start));
            p = skip_space(p, end);
            if (seen & special)
                split(word, {first, p == end});
            else
                sink_.token(word);
        }
    }

private:
    unsigned class_of(const char* p) const { return rule_.classes[static_cast<unsigned char>(*p)]; }

    const char* skip_space(const char* p, const char* end) const {
        for (; p < end; ++p) {
            const unsigned kind = class_of(p);
            if (kind & space) continue;
            if (!(kind & maybe_space)) return p;
            const char* next = p;
            if (!is_space(next_codepoint(next))) return p;
            p = next - 1;
        }
        return p;
    }

    // Collects in `seen` the classes of all bytes up to the next white space.
    const char* skip_word(const char* p, const char* end, unsigned& seen) const {
        for (; p < end; ++p) {
            const unsigned kind = class_of(p);
            if (kind & space) return p;
            if (kind & maybe_space) {
                const char* next = p;
                if (is_space(next_codepoint(next))) return p;
                p = next - 1;
            }
            seen |= kind;
        }
        return p;
    }

    void split(std::string_view word, Position position) {
        const bool same_everywhere = !Rule::uses_edges || (!position.first && !position.last);
        if (!Rule::uses_memo || !same_everywhere || word.size() > longest_remembered_word)
            return rule_.split(word, position, sink_);
        if (memo_.append(word, ids_)) return;
        const std::size_t before = ids_.size();
        rule_.split(word, position, sink_);
        memo_.remember(word, ids_.data() + before, ids_.data() + ids_.size());
    }

    Rule& rule_;
    WordMemo& memo_;
    std::vector<std::int32_t>& ids_;
    Sink sink_;
};

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

// What 13a undoes on the whole line before it looks at words. Most lines come back as they are.
std::string_view undo_sgml(std::string_view line, std::string& buffer) {
    const auto has = [&](char c) { return !line.empty() && std::memchr(line.data(), c, line.size()) != nullptr; };
    if (!has('&') && !has('\n') && line.find("<skipped>") == std::string_view::npos) return line;
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

struct Encoded {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets;
};

template <typename Rule>
void encode_lines(const TextViews& texts, Rule rule, Vocabulary& vocabulary, Encoded& out) {
    LineEncoder<Rule> encode_line(rule, vocabulary, out.ids);
    std::string lowered, cleaned;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        std::string_view line = texts[i];
        if (texts.lower_ascii()) line = lower(line, lowered);
        if constexpr (std::is_same_v<Rule, Rule13a>) line = undo_sgml(line, cleaned);
        encode_line(line);
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
        out.offsets.reserve(views.size() + 1);
        out.offsets.push_back(0);
        vocabulary.memo.open(tokenizer);
        encode_as(tokenizer, views, classes, vocabulary, out);
    }
    return nb::make_tuple(to_numpy(std::move(out.ids)), to_numpy(std::move(out.offsets)));
}

std::size_t count_codepoints(const TextViews& texts) {
    std::size_t n = 0;
    for (std::size_t i = 0; i < texts.size(); ++i)
        for (char c : texts[i]) n += (static_cast<unsigned char>(c) & 0xC0) != 0x80;
    return n;
}

nb::tuple codepoints(nb::sequence texts, int letter_case, bool keep_whitespace) {
    const TextViews views(texts, to_case(letter_case));
    std::unique_ptr<std::int32_t[]> ids;
    std::vector<std::int64_t> offsets;
    std::size_t n_ids = 0;
    {
        const nb::gil_scoped_release no_gil;
        ids.reset(new std::int32_t[count_codepoints(views)]);
        offsets.reserve(views.size() + 1);
        offsets.push_back(0);
        for (std::size_t i = 0; i < views.size(); ++i) {
            for (const char *p = views[i].data(), *end = p + views[i].size(); p < end;) {
                std::uint32_t c = next_codepoint(p);
                if (views.lower_ascii() && c >= 'A' && c <= 'Z') c += 'a' - 'A';
                ids[n_ids] = static_cast<std::int32_t>(c);
                n_ids += keep_whitespace || !is_space(c);
            }
            offsets.push_back(static_cast<std::int64_t>(n_ids));
        }
    }
    auto* data = ids.release();
    const nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<std::int32_t*>(p); });
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
