// Word alignment and word order of RIBES; the specification is mtassay/kernels/ribes.py.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.hpp"
#include "pairs.hpp"
#include "sorted_positions.hpp"

namespace mtassay {
namespace {

bool is_script(const std::string& variant) {
    if (variant != "script" && variant != "nltk") throw std::invalid_argument("unknown variant '" + variant + "'");
    return variant == "script";
}

class Ribes {
public:
    explicit Ribes(bool script) : script_(script) {}

    void operator()(const Words& hyp, const Words& ref, std::int64_t* row) {
        for (auto [words, positions] : {std::pair{&hyp, &in_hyp_}, std::pair{&ref, &in_ref_}}) {
            positions->clear();
            positions->add(words->ids, words->n, 0);
            positions->sort();
        }
        aligned_.clear();
        for (int i = 0; i < hyp.n; ++i) {
            const int place = place_of(hyp, ref, i);
            if (place >= 0) aligned_.push_back(place);
        }
        row[0] = static_cast<std::int64_t>(aligned_.size());
        for (std::size_t j = 1; j < aligned_.size(); ++j)
            for (std::size_t i = 0; i < j; ++i) row[1] += aligned_[i] < aligned_[j];
    }

private:
    // The places of a context in one text.
    using Places = std::vector<int>;

    int place_of(const Words& hyp, const Words& ref, int i) {
        const auto of_ref = in_ref_.of(hyp.ids[i]);
        if (of_ref.size() == 0) return -1;
        const auto of_hyp = in_hyp_.of(hyp.ids[i]);
        if (of_hyp.size() == 1 && of_ref.size() == 1) return static_cast<int>(in_ref_.at(of_ref.begin));
        for (auto& [hyp_places, ref_places] : contexts_) {
            set(in_hyp_, of_hyp, hyp_places);
            set(in_ref_, of_ref, ref_places);
        }
        const int longest = std::max(script_ ? i : i - 1, hyp.n - i);
        for (int width = 1; width <= longest; ++width) {
            bool possible = false;
            for (const bool left : {script_, !script_}) {
                auto& [hyp_places, ref_places] = contexts_[left];
                const int other = i + (left ? -width : width);
                if (other < 0 || other >= hyp.n) continue;
                keep(hyp, hyp.ids[other], other - i, hyp_places);
                keep(ref, hyp.ids[other], other - i, ref_places);
                if (hyp_places.size() == 1 && ref_places.size() == 1) return ref_places[0];
                possible |= !ref_places.empty();
            }
            if (!possible) return -1;
        }
        return -1;
    }

    static void set(const SortedPositions& positions, SortedPositions::Range range, Places& places) {
        places.clear();
        for (std::size_t k = range.begin; k < range.end; ++k) places.push_back(static_cast<int>(positions.at(k)));
    }
    // Keeps the places that have `wanted` at this distance.
    static void keep(const Words& text, std::int32_t wanted, int distance, Places& places) {
        const auto lacks = [&](int place) {
            const int at = place + distance;
            return at < 0 || at >= text.n || text.ids[at] != wanted;
        };
        places.erase(std::remove_if(places.begin(), places.end(), lacks), places.end());
    }

    bool script_;
    SortedPositions in_hyp_, in_ref_;
    std::pair<Places, Places> contexts_[2];  // in hypothesis and reference; to the right, and to the left
    std::vector<int> aligned_;
};

Out2<std::int64_t> ascending_pairs(const nb::tuple& pairs_in, const std::string& variant) {
    Ribes ribes(is_script(variant));
    const Pairs pairs(pairs_in);
    auto rows = for_each_pair<std::int64_t>(pairs, 2, [&](std::size_t p, std::int64_t* row) {
        ribes(pairs.hypothesis(p), pairs.reference(p), row);
    });
    return to_numpy(std::move(rows), 2);
}

}  // namespace
}  // namespace mtassay

void bind_ribes(nanobind::module_& m) {
    using namespace nanobind::literals;
    m.def("ascending_pairs", &mtassay::ascending_pairs, "pairs"_a, nanobind::kw_only(), "variant"_a);
}
