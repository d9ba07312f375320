// Python strings as UTF-8, without copying if Python gives access to the bytes. Lone surrogates are kept as the three
// bytes that UTF-8 would give them, so every Python string has exactly one byte form here.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace mtassay {

namespace nb = nanobind;

enum class Case { mixed, lower, ascii };

inline bool is_ascii(std::string_view s) {
    const char* p = s.data();
    std::size_t n = s.size();
    for (; n >= 8; p += 8, n -= 8) {
        std::uint64_t word;
        std::memcpy(&word, p, 8);
        if (word & 0x8080808080808080ull) return false;
    }
    for (; n > 0; ++p, --n)
        if (static_cast<unsigned char>(*p) & 0x80) return false;
    return true;
}

// Reads one code point at `p` and moves past it. The bytes come from Python and are well formed.
inline std::uint32_t next_codepoint(const char*& p) {
    const auto lead = static_cast<unsigned char>(*p++);
    if (lead < 0x80) return lead;
    auto more = [&] { return static_cast<std::uint32_t>(static_cast<unsigned char>(*p++) & 0x3F); };
    if (lead < 0xE0) {
        const std::uint32_t a = more();
        return (static_cast<std::uint32_t>(lead & 0x1F) << 6) | a;
    }
    if (lead < 0xF0) {
        const std::uint32_t a = more(), b = more();
        return (static_cast<std::uint32_t>(lead & 0x0F) << 12) | (a << 6) | b;
    }
    const std::uint32_t a = more(), b = more(), c = more();
    return (static_cast<std::uint32_t>(lead & 0x07) << 18) | (a << 12) | (b << 6) | c;
}

// The same as Python's str.isspace().
inline bool is_space(std::uint32_t c) {
    if (c < 0x80) return c == 0x20 || (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x1F);
    return c == 0x85 || c == 0xA0 || c == 0x1680 || (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 ||
           c == 0x202F || c == 0x205F || c == 0x3000;
}

// Views of the strings of a Python sequence. Texts that are not plain ASCII are lower-cased by Python's own str.lower(), so
// that results are exactly Python's; ASCII letters are left to the reader of the view (see `lower_ascii`). The GIL must be
// held when a TextViews is made or destroyed.
class TextViews {
public:
    TextViews(nb::sequence texts, Case letter_case)
        : lower_ascii_(letter_case != Case::mixed), texts_(nb::steal<nb::object>(PySequence_Tuple(texts.ptr()))) {
        if (!texts_.is_valid()) throw nb::python_error();
        const Py_ssize_t n = PyTuple_Size(texts_.ptr());
        views_.reserve(static_cast<std::size_t>(n));
        for (Py_ssize_t i = 0; i < n; ++i) {
#ifdef __GNUC__
            // Strings are scattered over the heap: prefetch them while earlier ones are processed.
            if (i + ahead < n) __builtin_prefetch(PyTuple_GetItem(texts_.ptr(), i + ahead));
#endif
            views_.push_back(view(PyTuple_GetItem(texts_.ptr(), i), letter_case));
        }
    }
    std::size_t size() const { return views_.size(); }
    std::string_view operator[](std::size_t i) const { return views_[i]; }
    // Whether A-Z are still to be read as a-z.
    bool lower_ascii() const { return lower_ascii_; }

private:
    static constexpr Py_ssize_t ahead = 16;

    std::string_view view(PyObject* text, Case letter_case) {
        if (!PyUnicode_Check(text)) throw nb::type_error("every text must be a str");
        const std::string_view as_it_is = utf8(text);
        if (letter_case != Case::lower || is_ascii(as_it_is)) return as_it_is;
        made_.push_back(nb::borrow<nb::object>(text).attr("lower")());
        return utf8(made_.back().ptr());
    }
    std::string_view utf8(PyObject* text) {
        Py_ssize_t n_bytes = 0;
        if (const char* data = PyUnicode_AsUTF8AndSize(text, &n_bytes))
            return {data, static_cast<std::size_t>(n_bytes)};
        PyErr_Clear();
        made_.push_back(nb::steal<nb::object>(PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass")));
        char* data = nullptr;
        if (!made_.back().is_valid() || PyBytes_AsStringAndSize(made_.back().ptr(), &data, &n_bytes) != 0)
            throw nb::python_error();
        return {data, static_cast<std::size_t>(n_bytes)};
    }

    bool lower_ascii_;
    nb::object texts_;  // a tuple, which cannot change
    std::vector<std::string_view> views_;
    std::vector<nb::object> made_;  // the objects behind views that are not views of the texts themselves
};

}  // namespace mtassay
