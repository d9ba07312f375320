// Runs independent items on a few threads. Items are handed out in small blocks, so that one long segment does not
// hold up the rest; results are written by index, so they do not depend on the number of threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace mtassay {

// Calls `make_worker()` once per thread; the worker it returns is called with every item index exactly once overall.
// Items are handed out `block` at a time. The GIL must not be held.
template <typename MakeWorker>
void parallel_for(std::size_t n_items, int n_threads, MakeWorker make_worker, std::size_t block = 16) {
    const std::size_t n_blocks = (n_items + block - 1) / block;
    const auto n_workers = static_cast<std::size_t>(std::max(1, n_threads));
    if (n_workers == 1 || n_blocks <= 1) {
        auto worker = make_worker();
        for (std::size_t i = 0; i < n_items; ++i) worker(i);
        return;
    }
    std::atomic<std::size_t> next_block{0};
    std::exception_ptr failure;
    std::mutex failure_mutex;
    auto run = [&] {
        try {
            auto worker = make_worker();
            for (std::size_t b = next_block++; b < n_blocks; b = next_block++) {
                const std::size_t end = std::min(n_items, (b + 1) * block);
                for (std::size_t i = b * block; i < end; ++i) worker(i);
            }
        } catch (...) {
            const std::lock_guard<std::mutex> lock(failure_mutex);
            failure = std::current_exception();
        }
    };
    std::vector<std::thread> threads;
    for (std::size_t t = 1; t < std::min(n_workers, n_blocks); ++t) threads.emplace_back(run);
    run();
    for (auto& thread : threads) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace mtassay
