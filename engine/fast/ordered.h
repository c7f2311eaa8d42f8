// Things in order, of which the smallest is taken first: many come at a time, mostly behind those
// that are there.
#pragma once
#include <algorithm>
#include <cstddef>
#include <functional>
#include <iterator>
#include <vector>

namespace simfarm::fast {

template <class T>
class Ordered {
 public:
  bool empty() const { return all_.empty(); }
  std::size_t size() const { return all_.size(); }
  void push(const T& one) { all_.push_back(one); }
  /// What has been pushed since the last time is put in its place; before any of the following.
  void sort() {
    if (sorted_ == all_.size()) return;
    if (all_.size() <= few)
      sort_few();
    else
      sort_many();
  }
  const T& top() const { return all_.back(); }
  void pop() {
    all_.pop_back();
    sorted_ = all_.size();
  }
  /// The last comes first.
  const std::vector<T>& all() const { return all_; }
  std::vector<T>& all() { return all_; }
  /// Some have been taken out of all().
  void taken_out() { sorted_ = all_.size(); }

 private:
  static constexpr std::size_t few = 32;
  void sort_few() {
    for (; sorted_ < all_.size(); ++sorted_) {
      const T one = all_[sorted_];
      std::size_t place = sorted_;
      for (; place != 0 && all_[place - 1] < one; --place) all_[place] = all_[place - 1];
      all_[place] = one;
    }
  }
  void sort_many() {
    const auto fresh = all_.begin() + static_cast<std::ptrdiff_t>(sorted_);
    std::sort(fresh, all_.end(), std::greater<>());
    if (sorted_ != 0 && *std::prev(fresh) < *fresh)
      std::inplace_merge(all_.begin(), fresh, all_.end(), std::greater<>());
    sorted_ = all_.size();
  }

  std::vector<T> all_;
  std::size_t sorted_ = 0;  ///< of them
};

}  // namespace simfarm::fast
