// From texts to token ids: what Python calls, and which rule belongs to which tokenizer's name.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "arrays.hpp"
#include "encode_lines.hpp"
#include "encode_rules.hpp"
#include "parallel.hpp"
#include "texts.hpp"
#include "vocabulary.hpp"

namespace mtassay {
namespace {

// Texts first .. last - 1 of all texts, the share of one thread.
struct Share {
    std::size_t first, last;
};

std::vector<Share> shares(std::size_t n_texts, int threads) {
    constexpr std::size_t worth_a_thread = 256;
    const std::size_t n = std::clamp<std::size_t>(n_texts / worth_a_thread, 1, static_cast<std::size_t>(std::max(1, threads)));
    std::vector<Share> all;
    for (std::size_t k = 0; k < n; ++k) all.push_back({n_texts * k / n, n_texts * (k + 1) / n});
    return all;
}

struct Encoded {
    std::vector<std::int32_t> ids;
    std::vector<std::int64_t> offsets{0};
};

template <typename Rule>
void encode_lines(const TextViews& texts, Share share, Rule rule, Vocabulary& vocabulary, Encoded& out) {
    std::size_t n_bytes = 0;
    for (std::size_t i = share.first; i < share.last; ++i) n_bytes += texts[i].size();
    out.ids.reserve(n_bytes / 4);  // words have about four letters, and a space
    out.offsets.reserve(share.last - share.first + 1);
    LineEncoder<Rule> encode_line(rule, vocabulary, out.ids);
    std::string lowered;
    for (std::size_t i = share.first; i < share.last; ++i) {
        encode_line(texts.lower_ascii() ? lower(texts[i], lowered) : texts[i]);
        out.offsets.push_back(static_cast<std::int64_t>(out.ids.size()));
    }
}

void encode_as(const std::string& tokenizer, const TextViews& texts, Share share, const unsigned char* classes,
               Vocabulary& vocabulary, Encoded& out) {
    vocabulary.memo.open(tokenizer);
    if (tokenizer == "none") return encode_lines(texts, share, NoneRule(), vocabulary, out);
    if (tokenizer == "13a") return encode_lines(texts, share, Rule13a(), vocabulary, out);
    if (tokenizer == "zh") return encode_lines(texts, share, ZhRule(), vocabulary, out);
    if (tokenizer == "char") return encode_lines(texts, share, CharRule(), vocabulary, out);
    if (tokenizer == "chrf") return encode_lines(texts, share, ChrfRule(), vocabulary, out);
    if (tokenizer == "intl") return encode_lines(texts, share, IntlRule(classes), vocabulary, out);
    throw std::invalid_argument("the compiled kernels have no tokenizer '" + tokenizer + "'");
}

// Every thread numbers the words of its share by itself; the shares are then renumbered one after the other, so that a word
// gets the id that it would have got from a single thread.
Encoded encode_shares(const std::string& tokenizer, const TextViews& texts, const std::vector<Share>& all,
                      const unsigned char* classes, Vocabulary& vocabulary) {
    std::vector<Encoded> parts(all.size());
    std::vector<Vocabulary> own(all.size());
    const int n_threads = static_cast<int>(all.size());
    parallel_for(all.size(), n_threads, [&] {
        return [&](std::size_t k) { encode_as(tokenizer, texts, all[k], classes, own[k], parts[k]); };
    }, 1);
    Encoded out;
    std::vector<std::vector<std::int32_t>> new_ids(all.size());
    std::vector<std::size_t> starts{0};
    for (std::size_t k = 0; k < all.size(); ++k) {
        for (std::size_t id = 0; id < own[k].words.size(); ++id)
            new_ids[k].push_back(vocabulary.words.add(Word::of(own[k].words[id])));
        for (std::size_t i = 1; i < parts[k].offsets.size(); ++i)
            out.offsets.push_back(parts[k].offsets[i] + static_cast<std::int64_t>(starts.back()));
        starts.push_back(starts.back() + parts[k].ids.size());
    }
    out.ids.resize(starts.back());
    parallel_for(all.size(), n_threads, [&] {
        return [&](std::size_t k) {
            std::int32_t* to = out.ids.data() + starts[k];
            for (const std::int32_t id : parts[k].ids) *to++ = new_ids[k][static_cast<std::size_t>(id)];
        };
    }, 1);
    return out;
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

nb::tuple encode(nb::sequence texts, const std::string& tokenizer, int letter_case, Vocabulary& vocabulary,
                 int threads) {
    const TextViews views(texts, to_case(letter_case));
    const nb::bytes table = tokenizer == "intl" ? unicode_classes() : nb::bytes("", 0);
    const auto* classes = static_cast<const unsigned char*>(table.data());
    Encoded out;
    {
        const nb::gil_scoped_release no_gil;
        const std::lock_guard<std::mutex> mine(vocabulary.lock);
        const std::vector<Share> all = shares(views.size(), threads);
        if (all.size() == 1)
            encode_as(tokenizer, views, all[0], classes, vocabulary, out);
        else
            out = encode_shares(tokenizer, views, all, classes, vocabulary);
    }
    return nb::make_tuple(to_numpy(std::move(out.ids)), to_numpy(std::move(out.offsets)));
}

std::size_t n_codepoints(const TextViews& texts, Share share) {
    std::size_t n = 0;
    for (std::size_t i = share.first; i < share.last; ++i)
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

nb::tuple codepoints(nb::sequence texts, int letter_case, bool keep_whitespace, int threads) {
    const TextViews views(texts, to_case(letter_case));
    std::unique_ptr<std::int32_t[]> ids;  // not a vector: nothing is written twice
    std::vector<std::int64_t> offsets{0};
    {
        const nb::gil_scoped_release no_gil;
        const std::vector<Share> all = shares(views.size(), threads);
        std::vector<std::size_t> room{0};  // where each share may write
        for (const Share share : all) room.push_back(room.back() + n_codepoints(views, share) + 1);
        ids.reset(new std::int32_t[room.back()]);
        offsets.resize(views.size() + 1);
        const CodepointWriter write(views.lower_ascii(), keep_whitespace);
        parallel_for(all.size(), threads, [&] {
            return [&](std::size_t k) {
                std::int32_t *const start = ids.get() + room[k], *to = start;
                for (std::size_t i = all[k].first; i < all[k].last; ++i) {
                    to = write(views[i], to);
                    offsets[i + 1] = to - start;
                }
            };
        }, 1);
        // Close the gaps that white space has left between the shares.
        for (std::size_t k = 1; k < all.size(); ++k) {
            const std::int64_t end = offsets[all[k].first];
            std::memmove(ids.get() + end, ids.get() + room[k],
                         static_cast<std::size_t>(offsets[all[k].last]) * sizeof(std::int32_t));
            for (std::size_t i = all[k].first; i < all[k].last; ++i) offsets[i + 1] += end;
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
    m.def("encode", &encode, "texts"_a, "tokenizer"_a, "case"_a, "vocabulary"_a, "threads"_a = 1,
          "Ids of all tokens end to end, and where each text begins; see mtassay.kernels.encoding.");
    m.def("codepoints", &codepoints, "texts"_a, "case"_a, "keep_whitespace"_a, "threads"_a = 1,
          "Code points of all texts end to end, and where each text begins; see mtassay.kernels.encoding.");
}
