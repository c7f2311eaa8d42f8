// Errors as values. Everything that reads input from outside (ELF, TOML, HDF5, archives,
// descriptors) returns Result<T>; below cli/ nothing throws for bad input, prints, or exits.
#pragma once
#include <string>
#include <utility>
#include <variant>

#include "base/check.h"

namespace simfarm {

/// What went wrong, told to the person who can mend it. `message` names the file and the field.
struct Error {
  enum class Kind {
    input,      ///< the file, text or bytes given are wrong (exit 78 or a REJECTED verdict)
    usage,      ///< the call is wrong (exit 2)
    io,         ///< the operating system said no (exit 74)
    temporary,  ///< not now: somebody else is at work (exit 75)
    internal,   ///< a bug of ours (exit 70)
  };
  Kind kind = Kind::input;
  std::string message;
};

inline Error input_error(std::string message) { return {Error::Kind::input, std::move(message)}; }
inline Error usage_error(std::string message) { return {Error::Kind::usage, std::move(message)}; }
inline Error io_error(std::string message) { return {Error::Kind::io, std::move(message)}; }

/// A T, or the reason why there is none.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }
  T& value() & {
    check(state_.index() == 0, "Result::value() of an error");
    return std::get<0>(state_);
  }
  const T& value() const& {
    check(state_.index() == 0, "Result::value() of an error");
    return std::get<0>(state_);
  }
  T&& value() && {
    check(state_.index() == 0, "Result::value() of an error");
    return std::get<0>(std::move(state_));
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  const Error& error() const {
    check(state_.index() == 1, "Result::error() of a value");
    return std::get<1>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

/// Success, or the reason for the failure.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}
  explicit operator bool() const { return !failed_; }
  const Error& error() const {
    check(failed_, "Result::error() of a success");
    return error_;
  }

 private:
  bool failed_ = false;
  Error error_;
};

}  // namespace simfarm
