// What reading and writing of HDF5 have in common: handles that close themselves, and silence.
#pragma once
#include <hdf5.h>

#include <utility>

namespace simfarm::farm::hdf5 {

/// An HDF5 identifier with the function that closes it.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close function) : id_(id), close_(function) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  explicit operator bool() const { return id_ >= 0; }
  hid_t get() const { return id_; }
  /// Closes now; false when that fails (a write can fail as late as this).
  bool close() { return id_ >= 0 && close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// While it lives, HDF5 prints nothing on this thread: every return code is checked instead.
class Quiet {
 public:
  Quiet() {
    // Damaged files leave the library with identifiers that its exit handler complains about.
    H5dont_atexit();
    H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
  }
  Quiet(const Quiet&) = delete;
  ~Quiet() { H5Eset_auto2(H5E_DEFAULT, function_, data_); }

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

}  // namespace simfarm::farm::hdf5
